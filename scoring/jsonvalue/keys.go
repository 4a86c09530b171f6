package jsonvalue

import (
	"cmp"
	"slices"
)

// A key has a tag, so that a look-up compares few texts: keys with different tags differ. Plain tags are odd.
const (
	escapedTag  uint16 = 0 // of a key with an escape, which may be any text
	shadowedTag uint16 = 2 // of a key that a later member of the same object repeats; it does not count
)

// tagOf returns the tag of a key without escapes. An empty one begins and ends with a quote.
func tagOf(first, last byte, length int) uint16 {
	return (uint16(first)+uint16(last)*5+uint16(length)*11)<<1 | 1
}

// shadow shadows the keys that a later member repeats: it compares every key with every later one. Nearly all objects do without: if the
// tags of all keys set different bits of 64, and no key has an escape, all keys differ.
func (p *parser) shadow(self int) {
	end := p.nodes[self].next
	for key := uint32(self) + 1; key < end; key = p.nodes[key].next {
		for later := p.nodes[key].next; later < end; later = p.nodes[later].next {
			if p.str(&p.nodes[key]) == p.str(&p.nodes[later]) {
				p.hide(self, key)
				break
			}
		}
	}
}

func (p *parser) hide(self int, key uint32) {
	p.nodes[key].tag = shadowedTag
	p.nodes[self].start--
}

// index sorts the keys of an object of many members and shadows the repeated ones. Equal keys become neighbours, in written order. Each key is read once,
// because it takes long to compare keys with escapes.
func (p *parser) index(self int) {
	type readKey struct {
		text string
		at   uint32
	}
	n := &p.nodes[self]
	keys := make([]readKey, 0, n.count())
	for key := uint32(self) + 1; key < n.next; key = p.nodes[key].next {
		keys = append(keys, readKey{p.str(&p.nodes[key]), key})
	}
	slices.SortFunc(keys, func(a, b readKey) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.at, b.at)) })
	n.flags |= indexed
	n.end = uint32(len(p.sorted))
	for i, key := range keys {
		if i+1 < len(keys) && key.text == keys[i+1].text {
			p.hide(self, key.at)
			continue
		}
		p.sorted = append(p.sorted, key.at)
	}
}

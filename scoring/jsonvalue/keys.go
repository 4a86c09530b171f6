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
func (d *Decoder) shadow(self int) {
	end := d.nodes[self].next
	for key := uint32(self) + 1; key < end; key = d.nodes[key].next {
		for later := d.nodes[key].next; later < end; later = d.nodes[later].next {
			if d.str(&d.nodes[key]) == d.str(&d.nodes[later]) {
				d.hide(self, key)
				break
			}
		}
	}
}

func (d *Decoder) hide(self int, key uint32) {
	d.nodes[key].tag = shadowedTag
	d.nodes[self].start--
}

// index sorts the keys of an object of many members and shadows the repeated ones. Equal keys become neighbours, in written order. Each key is read once,
// because it takes long to compare keys with escapes.
func (d *Decoder) index(self int) {
	type readKey struct {
		text string
		at   uint32
	}
	n := &d.nodes[self]
	keys := make([]readKey, 0, n.count())
	for key := uint32(self) + 1; key < n.next; key = d.nodes[key].next {
		keys = append(keys, readKey{d.str(&d.nodes[key]), key})
	}
	slices.SortFunc(keys, func(a, b readKey) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.at, b.at)) })
	n.flags |= indexed
	n.end = uint32(len(d.sorted))
	for i, key := range keys {
		if i+1 < len(keys) && key.text == keys[i+1].text {
			d.hide(self, key.at)
			continue
		}
		d.sorted = append(d.sorted, key.at)
	}
}

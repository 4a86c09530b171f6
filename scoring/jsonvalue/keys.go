package jsonvalue

import (
	"cmp"
	"slices"
)

// A keySketch shows cheaply that an object repeats no key, which holds for nearly all objects. Each key sets one of 64 bits,
// chosen by its length, first and last byte. If no bit is set twice, all keys differ. Otherwise, or if a key has an escape,
// all pairs of keys are compared, of fewer than [indexFrom] keys.
type keySketch struct {
	seen  uint64
	count int
	// doubtful: two keys may be the same, so they must be compared.
	doubtful bool
}

// add adds the key text[start:end]. Quotes stand around it, so an empty key has a first and a last byte too.
func (k *keySketch) add(text string, start, end int, flags nodeFlags) {
	k.count++
	bit := uint64(1) << ((int(text[start]) + int(text[end-1])*5 + (end-start)*11) & 63)
	if flags&escaped != 0 || k.seen&bit != 0 {
		k.doubtful = true
	}
	k.seen |= bit
}

// settle shadows the keys that a later member repeats, and indexes an object of many members.
func (p *parser) settle(self int, keys keySketch) {
	if keys.count >= indexFrom {
		p.index(self)
	} else if keys.doubtful {
		p.shadow(self)
	}
}

// shadow compares every key with every later one.
func (p *parser) shadow(self int) {
	end := p.nodes[self].next
	for key := uint32(self) + 1; key < end; key = p.nodes[key+1].next {
		for later := p.nodes[key+1].next; later < end; later = p.nodes[later+1].next {
			if sameText(p.textOf(&p.nodes[key]), p.textOf(&p.nodes[later])) {
				p.hide(self, key)
				break
			}
		}
	}
}

func (p *parser) hide(self int, key uint32) {
	p.nodes[key].flags |= shadowed
	p.nodes[self].start--
}

// index sorts the keys and shadows the repeated ones. Equal keys become neighbours, in written order. Each key is read once,
// because it takes long to compare keys with escapes.
func (p *parser) index(self int) {
	type readKey struct {
		text string
		at   uint32
	}
	n := &p.nodes[self]
	keys := make([]readKey, 0, n.count())
	for key := uint32(self) + 1; key < n.next; key = p.nodes[key+1].next {
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

package jsonvalue

import "slices"

// A Member is one visible key of an Object and its value. Unlike [Value.Members], [Value.FirstMember] and [Member.Next] do
// not allocate.
type Member struct {
	doc      *document
	key, end uint32
}

// FirstMember returns the first visible member of an Object. The second result is false if there is none.
func (v Value) FirstMember() (Member, bool) {
	if v.Kind() != Object {
		return Member{}, false
	}
	return Member{v.doc, v.at + 1, v.node().next}.visible()
}

// Next returns the next member of the same object. The second result is false behind the last one.
func (m Member) Next() (Member, bool) {
	m.key = m.doc.nodes[m.key+1].next
	return m.visible()
}

// visible returns m, or the first member behind it that no later one shadows.
func (m Member) visible() (Member, bool) {
	for m.key < m.end && m.doc.nodes[m.key].flags&shadowed != 0 {
		m.key = m.doc.nodes[m.key+1].next
	}
	return m, m.key < m.end
}

// Value returns the member's value.
func (m Member) Value() Value { return Value{m.doc, m.key + 1} }

// Name returns the member's key, unescaped.
func (m Member) Name() string { return m.doc.str(&m.doc.nodes[m.key]) }

func (m Member) name() text { return m.doc.textOf(&m.doc.nodes[m.key]) }

// find looks up a key of an object: by halving if the object has an index, else from front to back.
func (v Value) find(key text) (Member, bool) {
	n := v.node()
	nodes, end := v.doc.nodes, n.next
	if n.flags&indexed != 0 {
		keys := v.doc.sorted[n.end : n.end+n.count()]
		i, found := slices.BinarySearchFunc(keys, key, func(at uint32, key text) int { return compareText(v.doc.textOf(&nodes[at]), key) })
		if !found {
			return Member{}, false
		}
		return Member{v.doc, keys[i], end}, true
	}
	for at := v.at + 1; at < end; at = nodes[at+1].next {
		name := &nodes[at]
		if name.flags == 0 && !key.escaped { // as nearly all are
			if int(name.end-name.start) == len(key.raw) && v.doc.text[name.start:name.end] == key.raw {
				return Member{v.doc, at, end}, true
			}
		} else if name.flags&shadowed == 0 && sameText(v.doc.textOf(name), key) {
			return Member{v.doc, at, end}, true
		}
	}
	return Member{}, false
}

// A Lookup finds the keys of one Object in another. Usually both are written in the same order, so each key is the next one
// there. Otherwise it searches: a small object from the front, a large one by its index.
type Lookup struct {
	in    Value
	next  Member
	valid bool
}

// NewLookup returns a lookup that starts at the front of in. If in is no Object, it finds nothing.
func NewLookup(in Value) Lookup {
	m, ok := in.FirstMember()
	return Lookup{in: in, next: m, valid: ok}
}

// Find returns the value under the key of m. The second result is false if there is none.
func (l *Lookup) Find(m Member) (Value, bool) {
	key, at := m.name(), l.next
	if !l.valid || !sameText(at.name(), key) {
		if l.in.Kind() != Object {
			return Value{}, false
		}
		var ok bool
		if at, ok = l.in.find(key); !ok {
			return Value{}, false
		}
	}
	l.next, l.valid = at.Next()
	return at.Value(), true
}

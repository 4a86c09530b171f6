package jsonvalue

import (
	"iter"
	"slices"
)

// Kind is the kind of a JSON value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// A Value is one JSON value as it was written: numbers keep their form, objects their key order. It is immutable. The zero
// value is null.
type Value struct {
	doc *document
	at  uint32
}

// A document is JSON text and its tape: one node for each value and key, in the order of the text. The nodes of a
// container's content follow it, for an object as key, value, key, value. So a subtree is one stretch of the tape, and a
// Value is an index into it.
type document struct {
	text  string
	nodes []node
	// sorted holds, for each object of many members, the indices of its visible keys in the order of their text.
	sorted []uint32
}

// A node is one entry of the tape, in 16 bytes.
//
//   - String: text[start:end] is the text between the quotes.
//   - Number, Bool, Null: text[start:end] is the literal.
//   - Array, Object: start is the number of elements or visible members.
//   - Object with the flag indexed: sorted[end:end+start] are its keys.
type node struct {
	start, end uint32
	next       uint32 // the index of the node behind this one and its content
	kind       Kind
	flags      nodeFlags
}

// count returns the number of elements of an Array, or of visible members of an Object.
func (n *node) count() uint32 { return n.start }

type nodeFlags uint8

const (
	escaped  nodeFlags = 1 << iota // a String with at least one backslash
	shadowed                       // a key that a later member of the same object repeats; it does not count
	indexed                        // an Object with an entry in document.sorted
)

// StringValue returns the string s as a value. A string of 2 GiB or more is cut.
func StringValue(s string) Value {
	if uint64(len(s)) > maxText {
		s = s[:maxText]
	}
	return Value{doc: &document{text: s, nodes: []node{stringNode(s)}}}
}

func stringNode(s string) node { return node{kind: String, end: uint32(len(s)), next: 1} }

func (v Value) node() *node { return &v.doc.nodes[v.at] }

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Null
	}
	return v.node().kind
}

// Bool returns the value of a Bool, or false for any other kind.
func (v Value) Bool() bool {
	return v.Kind() == Bool && v.doc.text[v.node().start] == 't'
}

// Lexeme returns a Number as it was written, or "" for any other kind.
func (v Value) Lexeme() string {
	if v.Kind() != Number {
		return ""
	}
	return v.doc.raw(v.node())
}

// Text returns a String, unescaped, or "" for any other kind. Half of a surrogate pair becomes U+FFFD. Invalid UTF-8 is kept.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return v.doc.str(v.node())
}

// Len returns the number of elements of an Array or of members of an Object, or 0 for any other kind.
func (v Value) Len() int {
	if k := v.Kind(); k != Array && k != Object {
		return 0
	}
	return int(v.node().count())
}

// Elements iterates over the elements of an Array, in order. Any other kind has none.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		for at, end := v.at+1, v.node().next; at < end; at = v.doc.nodes[at].next {
			if !yield(Value{v.doc, at}) {
				return
			}
		}
	}
}

// Members iterates over the keys and values of an Object, in written order. If a key is repeated, only its last member
// counts. Any other kind has none.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for m, ok := v.FirstMember(); ok; m, ok = m.Next() {
			if !yield(m.Name(), m.Value()) {
				return
			}
		}
	}
}

// Member returns the value of an Object's key. The second result is false if v is no Object or has no such key.
func (v Value) Member(key string) (Value, bool) {
	if v.Kind() != Object {
		return Value{}, false
	}
	m, ok := v.find(text{raw: key})
	if !ok {
		return Value{}, false
	}
	return m.Value(), true
}

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

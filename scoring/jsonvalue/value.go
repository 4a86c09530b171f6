package jsonvalue

import "iter"

// Kind is what a JSON value is.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// A Value is one JSON value, read but not converted: numbers keep their written form, objects their key order.
// It is immutable. The zero value is null.
type Value struct {
	doc *document
	at  uint32
}

// A document is JSON text and the tape of what stands where in it. A container is followed by all that it holds,
// an object by key, value, key, value; so a subtree is one stretch of the tape and a Value one index into it.
type document struct {
	text  string
	nodes []node
	// sorted holds, for each object of many members, the indices of its visible keys in the order of their text.
	sorted []uint32
}

// A node is one entry of the tape, in 16 bytes.
//
//   - String: text[start:end] is what stands between the quotes.
//   - Number, Bool, Null: text[start:end] is the literal.
//   - Array, Object: start is the number of elements or visible members.
//   - Object with the flag indexed: sorted[end:end+start] are its keys.
type node struct {
	start, end uint32
	next       uint32 // the index behind this node and all it holds
	kind       Kind
	flags      nodeFlags
}

// count is the number of elements of an Array, or of visible members of an Object.
func (n *node) count() uint32 { return n.start }

type nodeFlags uint8

const (
	escaped  nodeFlags = 1 << iota // a String with at least one backslash
	shadowed                       // a key that a later member of the same object repeats; as good as absent
	indexed                        // an Object with an entry in document.sorted
)

// StringValue is the string s.
func StringValue(s string) Value {
	if uint64(len(s)) > maxText {
		s = s[:maxText]
	}
	return Value{doc: &document{text: s, nodes: []node{stringNode(s)}}}
}

func stringNode(s string) node { return node{kind: String, end: uint32(len(s)), next: 1} }

func (v Value) node() *node { return &v.doc.nodes[v.at] }

// Kind says what v is.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Null
	}
	return v.node().kind
}

// Bool is the value of a Bool, else false.
func (v Value) Bool() bool {
	return v.Kind() == Bool && v.doc.text[v.node().start] == 't'
}

// Lexeme is a Number as written, else "".
func (v Value) Lexeme() string {
	if v.Kind() != Number {
		return ""
	}
	return v.doc.raw(v.node())
}

// Text is a String, unescaped, else "". Half of a surrogate pair becomes U+FFFD; bytes that are no UTF-8 stay.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return v.doc.str(v.node())
}

// Len is the number of elements of an Array or of members of an Object, else 0.
func (v Value) Len() int {
	if k := v.Kind(); k != Array && k != Object {
		return 0
	}
	return int(v.node().count())
}

// Elements are those of an Array, in order.
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

// Members are those of an Object, in written order. A key written twice comes once, where and with what it was
// written last.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for m, ok := v.FirstMember(); ok; m, ok = m.Next() {
			if !yield(m.Name(), m.Value()) {
				return
			}
		}
	}
}

// Member looks a key of an Object up.
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

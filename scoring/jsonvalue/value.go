// Package jsonvalue reads JSON without converting it. A number keeps its written form, an object the order of its keys.
// Scoring methods have different rules of equality, so nothing may be lost before a method compares.
//
// [Decode] reads one document as RFC 8259 defines it and returns a [Value]. A Value is immutable and 16 bytes long: a
// pointer to the document and an index. The document is the text and a tape: one node of 16 bytes for each value and
// each key, in the order of the text. A container comes before all that it holds, so a subtree is one stretch of the
// tape. Strings stay in the text and are unescaped only when [Value.Text] asks for them.
//
//	{"a": [1, 2]}   tape: Object(1 member)  String a  Array(2 elements)  Number 1  Number 2
package jsonvalue

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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

// A document is JSON text and its tape: see the package comment. The content of an object is key, value, key, value.
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
	next       uint32 // the index of the node behind this one and its content; behind a key and its value
	kind       Kind
	flags      nodeFlags
	tag        uint16 // of a key
}

// count returns the number of elements of an Array, or of visible members of an Object.
func (n *node) count() uint32 { return n.start }

type nodeFlags uint8

const (
	escaped nodeFlags = 1 << iota // a String with at least one backslash
	indexed                       // an Object with an entry in document.sorted
)

// StringValue returns the string s as a value. A string of 2 GiB or more is cut.
func StringValue(s string) Value { return new(Decoder).Text(s) }

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
	if v.doc == nil || v.node().kind != String {
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
		if v.Kind() != Object {
			return
		}
		nodes := v.doc.nodes
		for at, end := v.at+1, v.node().next; at < end; at = nodes[at].next {
			if nodes[at].tag != shadowedTag && !yield(v.doc.str(&nodes[at]), Value{v.doc, at + 1}) {
				return
			}
		}
	}
}

// Member returns the value of an Object's key. The second result is false if v is no Object or has no such key.
func (v Value) Member(key string) (Value, bool) {
	if v.doc == nil {
		return Value{}, false
	}
	n, nodes := v.node(), v.doc.nodes
	if n.kind != Object {
		return Value{}, false
	}
	if n.flags&indexed != 0 {
		keys := v.doc.sorted[n.end : n.end+n.count()]
		i, found := slices.BinarySearchFunc(keys, key, func(at uint32, key string) int { return cmp.Compare(v.doc.str(&nodes[at]), key) })
		if !found {
			return Value{}, false
		}
		return Value{v.doc, keys[i] + 1}, true
	}
	tag := tagOf('"', '"', 0)
	if key != "" {
		tag = tagOf(key[0], key[len(key)-1], len(key))
	}
	for at, end := v.at+1, n.next; at < end; {
		name := &nodes[at]
		if name.tag == tag {
			if v.doc.raw(name) == key {
				return Value{v.doc, at + 1}, true
			}
		} else if name.tag == escapedTag && v.doc.str(name) == key {
			return Value{v.doc, at + 1}, true
		}
		at = name.next
	}
	return Value{}, false
}

// HasOnly reports whether v is an Object with at least one member, and none but those of keys.
func (v Value) HasOnly(keys ...string) bool {
	for name := range v.Members() {
		if !slices.Contains(keys, name) {
			return false
		}
	}
	return v.Kind() == Object && v.Len() > 0
}

// raw returns a String, Number, Bool or Null as it is written, without quotes.
func (d *document) raw(n *node) string { return d.text[n.start:n.end] }

// str returns the string of a String node.
func (d *document) str(n *node) string {
	if n.flags&escaped != 0 {
		return unescaped(d.raw(n))
	}
	return d.raw(n)
}

// unescaped returns a string that is written with escapes, which the decoder has checked.
func unescaped(raw string) string {
	var b strings.Builder
	b.Grow(len(raw))
	for {
		plain := strings.IndexByte(raw, '\\') // text without escapes is copied at once
		if plain < 0 {
			b.WriteString(raw)
			return b.String()
		}
		b.WriteString(raw[:plain])
		r, size := escape(raw[plain:])
		b.WriteRune(r)
		raw = raw[plain+size:]
	}
}

// escapes are the characters of the escapes of two bytes, by the second one.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads the escape at the front of s, two of them if they are a surrogate pair. The size is 0 if there is none. Without a partner,
// half of a pair becomes U+FFFD.
func escape(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	if c := escapes[s[1]]; c != 0 {
		return rune(c), 2
	}
	r = codeUnit(s)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if r = utf16.DecodeRune(r, codeUnit(s[6:])); r != utf8.RuneError {
		return r, 12
	}
	return r, 6
}

// codeUnit reads the escape of a UTF-16 code unit, such as \u00e9, or returns -1.
func codeUnit(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

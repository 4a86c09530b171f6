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
	"bytes"
	"cmp"
	"crypto/sha256"
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

// Equal is the native method's equality.
//
//   - Numbers compare by their exact mathematical value: 1, 1.0 and 10e-1 are equal, and so are 0 and -0. 9007199254740993
//     and 9007199254740992.0 are not. If an exponent has more than 18 digits, numbers with other exponents differ.
//   - Text compares by code point, without normalisation. true is not 1, and "1" is not 1.
//   - Arrays compare in order, objects irrespective of it.
func Equal(a, b Value) bool {
	if a.doc == nil || b.doc == nil {
		return a.Kind() == b.Kind()
	}
	x, y := a.node(), b.node()
	if x.kind != y.kind {
		return false
	}
	switch x.kind {
	case Bool:
		return a.Bool() == b.Bool()
	case Number:
		return equalNumbers(a.doc.raw(x), b.doc.raw(y))
	case String:
		return a.doc.str(x) == b.doc.str(y)
	case Array:
		return x.count() == y.count() && SameElements(a, b, Equal)
	case Object:
		return x.count() == y.count() && MembersWithin(a, b, Equal)
	}
	return true
}

// SameElements reports whether the elements of two arrays of the same length are equal in order.
func SameElements(a, b Value, equal func(a, b Value) bool) bool {
	y := b.at + 1
	for x, end := a.at+1, a.node().next; x < end; x = a.doc.nodes[x].next {
		if !equal(Value{a.doc, x}, Value{b.doc, y}) {
			return false
		}
		y = b.doc.nodes[y].next
	}
	return true
}

// MembersWithin reports whether all members of the object a are in the object b, and equal there.
func MembersWithin(a, b Value, equal func(a, b Value) bool) bool {
	for name, x := range a.Members() {
		if y, found := b.Member(name); !found || !equal(x, y) {
			return false
		}
	}
	return true
}

// SameSequence reports whether two objects have the same keys in the same order, with equal values.
func SameSequence(a, b Value, equal func(a, b Value) bool) bool {
	last := b.at
	return a.Len() == b.Len() && MembersWithin(a, b, func(x, y Value) bool {
		behind := y.at > last
		last = y.at
		return behind && equal(x, y)
	})
}

// A Digest is a hash of a value. Values that are [Equal] have the same Digest, all others have different ones. To compare one
// value with many others, each need be read only once.
type Digest [sha256.Size]byte

// Digest returns a hash of v that does not depend on the order of keys, on escapes or on the form of numbers. It takes one
// walk over v, and memory for one copy of v's text.
func (v Value) Digest() Digest {
	if v.doc == nil {
		return sha256.Sum256([]byte{'n'})
	}
	return sha256.Sum256(v.appendCanonical(make([]byte, 0, len(v.doc.text)+16)))
}

// appendCanonical appends a form that is the same for all values equal to v. Texts and lists begin with their length, so no
// form is the beginning of another.
func (v Value) appendCanonical(b []byte) []byte {
	switch v.Kind() {
	case Bool:
		if v.Bool() {
			return append(b, 't')
		}
		return append(b, 'f')
	case Number:
		return appendNumber(append(b, '#'), v.Lexeme())
	case String:
		return appendText(append(b, '"'), v.Text())
	case Array:
		b = appendCount(append(b, '['), v.Len())
		for element := range v.Elements() {
			b = element.appendCanonical(b)
		}
		return b
	case Object:
		b = appendCount(append(b, '{'), v.Len())
		names := make([]string, 0, v.Len())
		for name := range v.Members() {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			member, _ := v.Member(name)
			b = member.appendCanonical(appendText(b, name))
		}
		return b
	}
	return append(b, 'n')
}

func appendCount(b []byte, n int) []byte { return append(strconv.AppendInt(b, int64(n), 10), ':') }

// appendText appends a string, after its length.
func appendText(b []byte, s string) []byte { return append(appendCount(b, len(s)), s...) }

// equalNumbers reports whether two JSON number lexemes have the same mathematical value.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") && !strings.ContainsAny(b, ".eE") {
		return strings.TrimPrefix(a, "-") == "0" && strings.TrimPrefix(b, "-") == "0" // else integers have one form
	}
	var x, y [64]byte // long enough for usual numbers
	return bytes.Equal(appendNumber(x[:0], a), appendNumber(y[:0], b))
}

// appendNumber appends a form of a number that is the same however it is written: the significant digits, which stand behind the point,
// and a power of ten. Nothing is expanded, so 1e999999999 costs no more than its eleven characters.
//
//	-12.50e3  -125e5;  -0.125 times 10 to the power of 2+3
//	0.0034    34e-2;    0.34  times 10 to the power of -2
func appendNumber(b []byte, lexeme string) []byte {
	start := len(b)
	digits, negative := strings.CutPrefix(lexeme, "-")
	if negative {
		b = append(b, '-')
	}
	exponent := ""
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		digits, exponent = digits[:i], digits[i+1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	first := len(b)
	b = append(append(b, whole...), fraction...)
	significant := bytes.TrimLeft(b[first:], "0")
	zeros := len(b) - first - len(significant)
	significant = bytes.TrimRight(significant, "0")
	if len(significant) == 0 {
		return append(b[:start], "0;"...)
	}
	b = append(append(b[:first], significant...), 'e')
	return append(appendPower(b, exponent, len(whole)-zeros), ';')
}

// appendPower appends a written exponent plus a shift. An exponent of more than 18 digits, to which a shift cannot be added in an int64,
// stays as it is written: such numbers are equal if they also have the same shift.
func appendPower(b []byte, exponent string, shift int) []byte {
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "-"
	}
	exponent = strings.TrimLeft(exponent, "+-0")
	if len(exponent) > 18 {
		b = append(append(append(b, sign...), exponent...), '+')
		return strconv.AppendInt(b, int64(shift), 10)
	}
	n, _ := strconv.ParseInt(sign+"0"+exponent, 10, 64)
	return strconv.AppendInt(b, n+int64(shift), 10)
}

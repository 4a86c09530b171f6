package jsonvalue

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
)

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

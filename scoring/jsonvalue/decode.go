package jsonvalue

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

const (
	// maxDepth bounds the nesting of arrays and objects. No tool takes deeper arguments, but a hostile sender may write them.
	maxDepth = 1000
	// maxText is the longest text whose offsets the tape can hold.
	maxText = math.MaxInt32
	// indexFrom is the number of members from which an object gets a sorted index. For fewer members a linear search is
	// faster. For more, it would let one hostile object take quadratic time.
	indexFrom = 32
)

// TooDeep is the Problem of a text with more than 1,000 levels of nesting.
const TooDeep = "nested too deep"

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset  int
	Problem string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("no JSON at byte %d: %s", e.Offset, e.Problem)
}

// Decode reads one JSON document as RFC 8259 defines it. Only white space may follow it. The error is a [*SyntaxError].
//
// The RFC leaves three questions open. If a key is repeated, its last member counts. Invalid UTF-8 in strings is kept. More
// than 1,000 levels of nesting are an error.
func Decode(text string) (Value, error) { return new(Decoder).Decode(text) }

// A Decoder decodes one text after another and reuses its memory. The zero value is ready to use, by one goroutine at a time.
//
// Its methods for parts of a text take the index at which they start to read, and return the index behind what they read, or -1 once
// failure is set.
type Decoder struct {
	document

	depth   int
	failure *SyntaxError
}

// maxSpare is how many nodes a Decoder keeps (128 KiB), so that one long text does not retain its memory forever.
const maxSpare = 8 << 10

// Decode is like the function [Decode]. Its value is valid until d decodes or forgets. Strings taken from it stay valid.
func (d *Decoder) Decode(text string) (Value, error) {
	if len(text) > maxText {
		return Value{}, &SyntaxError{0, "too long"}
	}
	d.text, d.nodes, d.sorted, d.depth = text, d.nodes[:0], d.sorted[:0], 0
	if d.nodes == nil {
		d.nodes = make([]node, 0, 2+len(text)/12)
	}
	at := d.value(d.next(0))
	if at < 0 {
		return Value{}, d.failure
	}
	if _, at = d.next(at); at < len(text) {
		return Value{}, &SyntaxError{at, "something follows the value"}
	}
	return Value{doc: &d.document}, nil
}

// Text is like [StringValue]. Its value is valid until d decodes or forgets.
func (d *Decoder) Text(s string) Value {
	s = s[:min(len(s), maxText)]
	d.text = s
	d.nodes = append(d.nodes[:0], node{kind: String, end: uint32(len(s)), next: 1})
	return Value{doc: &d.document}
}

// Forget drops the text, and memory beyond 128 KiB.
func (d *Decoder) Forget() {
	d.text = ""
	if cap(d.nodes) > maxSpare || cap(d.sorted) > maxSpare {
		d.document = document{}
	}
}

// fail records a problem at text[at].
func (d *Decoder) fail(at int, problem string) int {
	d.failure = &SyntaxError{at, problem}
	return -1
}

// next skips white space. It returns the byte behind it and its index, or 0 at the end. A 0 in the text is not valid JSON either, so
// callers need not distinguish the two.
func (d *Decoder) next(at int) (byte, int) {
	for ; at < len(d.text); at++ {
		if c := d.text[at]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, at
		}
	}
	return 0, at
}

// peek returns the byte at an index, or 0 at the end.
func (d *Decoder) peek(at int) byte {
	if at < len(d.text) {
		return d.text[at]
	}
	return 0
}

// value reads the value that begins with c.
func (d *Decoder) value(c byte, at int) int {
	switch c {
	case '"':
		return d.string(at + 1)
	case '{':
		return d.object(at)
	case '[':
		return d.array(at)
	case 't':
		return d.literal(at, "true", Bool)
	case 'f':
		return d.literal(at, "false", Bool)
	case 'n':
		return d.literal(at, "null", Null)
	}
	if c == '-' || '0' <= c && c <= '9' {
		return d.number(at)
	}
	return d.fail(at, "no value")
}

// push appends a node. The caller sets its fields in place: to build a node and copy it would take longer than the rest of parsing,
// because the CPU waits for what was written in parts before it reads it as a whole.
func (d *Decoder) push() *node {
	d.nodes = append(d.nodes, node{})
	return &d.nodes[len(d.nodes)-1]
}

// open appends a container to the tape. close sets its size.
func (d *Decoder) open(k Kind) (self int) {
	d.push().kind = k
	d.depth++
	return len(d.nodes) - 1
}

func (d *Decoder) close(self int, count uint32) {
	n := &d.nodes[self]
	n.next, n.start = uint32(len(d.nodes)), count
	d.depth--
}

// leaf appends the value at text[start:end] to the tape.
func (d *Decoder) leaf(k Kind, f nodeFlags, start, end int) {
	n := d.push()
	n.start, n.end, n.next = uint32(start), uint32(end), uint32(len(d.nodes))
	n.kind, n.flags = k, f
}

// array reads an array.
func (d *Decoder) array(at int) int {
	if d.depth == maxDepth {
		return d.fail(at, TooDeep)
	}
	self, count := d.open(Array), uint32(0)
	c, at := d.next(at + 1)
	for c != ']' || count > 0 {
		if at = d.value(c, at); at < 0 {
			return at
		}
		count++
		if c, at = d.next(at); c == ']' {
			break
		}
		if c != ',' {
			return d.fail(at, "neither , nor ] after an element")
		}
		c, at = d.next(at + 1)
	}
	d.close(self, count)
	return at + 1
}

// object reads an object.
func (d *Decoder) object(at int) int {
	if d.depth == maxDepth {
		return d.fail(at, TooDeep)
	}
	self, count := d.open(Object), uint32(0)
	seen, doubtful := uint64(0), false // a bit for each tag
	c, at := d.next(at + 1)
	for c != '}' || count > 0 {
		if c != '"' {
			return d.fail(at, "no key")
		}
		start, key := at+1, len(d.nodes)
		if at = d.string(start); at < 0 {
			return at
		}
		n := &d.nodes[key]
		if n.flags == 0 {
			n.tag = tagOf(d.text[start], d.text[at-2], at-1-start) // quotes stand around an empty key
		}
		bit := uint64(1) << (n.tag >> 1 & 63)
		doubtful = doubtful || seen&bit != 0 || n.tag == escapedTag
		seen |= bit
		if c, at = d.next(at); c != ':' {
			return d.fail(at, "no : after a key")
		}
		if at = d.value(d.next(at + 1)); at < 0 {
			return at
		}
		d.nodes[key].next = uint32(len(d.nodes))
		count++
		if c, at = d.next(at); c == '}' {
			break
		}
		if c != ',' {
			return d.fail(at, "neither , nor } after a member")
		}
		c, at = d.next(at + 1)
	}
	d.close(self, count)
	if count >= indexFrom {
		d.index(self)
	} else if doubtful {
		d.shadow(self)
	}
	return at + 1
}

func (d *Decoder) literal(at int, word string, k Kind) int {
	end := at + len(word)
	if end > len(d.text) || d.text[at:end] != word {
		return d.fail(at, "no value")
	}
	d.leaf(k, 0, at, end)
	return end
}

// number reads -? int frac? exp?
func (d *Decoder) number(start int) int {
	at := start
	if d.peek(at) == '-' {
		at++
	}
	if d.peek(at) == '0' {
		at++
	} else if at = d.digits(at); at < 0 {
		return at
	}
	if d.peek(at) == '.' {
		if at = d.digits(at + 1); at < 0 {
			return at
		}
	}
	if d.peek(at)|0x20 == 'e' {
		at++
		if c := d.peek(at); c == '+' || c == '-' {
			at++
		}
		if at = d.digits(at); at < 0 {
			return at
		}
	}
	d.leaf(Number, 0, start, at)
	return at
}

// digits reads one or more digits.
func (d *Decoder) digits(start int) int {
	at := start
	for at < len(d.text) && '0' <= d.text[at] && d.text[at] <= '9' {
		at++
	}
	if at == start {
		return d.fail(at, "a digit is missing")
	}
	return at
}

// string reads the rest of a string behind its opening quote.
func (d *Decoder) string(start int) int {
	text, flags := d.text, nodeFlags(0)
	for at := start; ; flags = escaped {
		for ; at+8 <= len(text); at += 8 {
			if hit := specialIn(text[at : at+8]); hit != 0 {
				at += bits.TrailingZeros64(hit) / 8
				break
			}
		}
		for at < len(text) && text[at] != '"' && text[at] != '\\' && text[at] >= ' ' {
			at++ // near the end
		}
		switch {
		case at == len(text):
			return d.fail(at, "a string without end")
		case text[at] == '"':
			d.leaf(String, flags, start, at)
			return at + 1
		case text[at] != '\\':
			return d.fail(at, "a control character in a string")
		}
		_, size := escape(text[at:])
		if size == 0 {
			return d.fail(at, "no such escape")
		}
		at += size
	}
}

// specialIn sets the top bit of the first of eight bytes that is special, a quote, a backslash or a control character, and perhaps of some
// behind it. A quote and the control characters share a test: after swapping 0x20 and 0x22, they are the bytes below 0x21.
func specialIn(s string) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64([]byte(s)) // one load: the compiler makes no copy
	low, slash := x^ones*2, x^ones*'\\'
	return ((low-ones*0x21)&^low | (slash-ones)&^slash) & tops
}

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

// index sorts the keys of an object of many members and shadows the repeated ones. Equal keys become neighbours, in written order. Each key is
// read once, because it takes long to compare keys with escapes.
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

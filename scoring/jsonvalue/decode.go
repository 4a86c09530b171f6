package jsonvalue

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
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
type Decoder struct{ doc document }

// maxSpare is how many nodes a Decoder keeps (128 KiB), so that one long text does not retain its memory forever.
const maxSpare = 8 << 10

// Decode is like the function [Decode]. Its value is valid until d decodes or forgets. Strings taken from it stay valid.
func (d *Decoder) Decode(text string) (Value, error) {
	nodes := d.doc.nodes[:0]
	if nodes == nil {
		nodes = make([]node, 0, 2+len(text)/12)
	}
	p := parser{document: document{text, nodes, d.doc.sorted[:0]}}
	ok := p.parse()
	d.doc = p.document
	if !ok {
		failure := p.failure // so that p need not be on the heap
		return Value{}, &failure
	}
	return Value{doc: &d.doc}, nil
}

// Text is like [StringValue]. Its value is valid until d decodes or forgets.
func (d *Decoder) Text(s string) Value {
	s = s[:min(len(s), maxText)]
	d.doc.text = s
	d.doc.nodes = append(d.doc.nodes[:0], node{kind: String, end: uint32(len(s)), next: 1})
	return Value{doc: &d.doc}
}

// Forget drops the text, and memory beyond 128 KiB.
func (d *Decoder) Forget() {
	d.doc.text = ""
	if cap(d.doc.nodes) > maxSpare || cap(d.doc.sorted) > maxSpare {
		d.doc = document{}
	}
}

// A parser is one walk over a text. Its methods take the index at which they start to read, and return the index behind what
// they read, or -1 once failure is set.
type parser struct {
	document

	depth   int
	failure SyntaxError
}

// fail records a problem at text[at].
func (p *parser) fail(at int, problem string) int {
	p.failure = SyntaxError{at, problem}
	return -1
}

func (p *parser) parse() bool {
	if len(p.text) > maxText {
		p.fail(0, "too long")
		return false
	}
	at := p.value(p.next(0))
	if at < 0 {
		return false
	}
	if _, at = p.next(at); at < len(p.text) {
		p.fail(at, "something follows the value")
		return false
	}
	return true
}

// next skips white space. It returns the byte behind it and its index, or 0 at the end. A 0 in the text is not valid JSON either, so
// callers need not distinguish the two.
func (p *parser) next(at int) (byte, int) {
	for ; at < len(p.text); at++ {
		if c := p.text[at]; c > ' ' || !isSpace(c) {
			return c, at
		}
	}
	return 0, at
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// peek returns the byte at an index, or 0 at the end.
func (p *parser) peek(at int) byte {
	if at < len(p.text) {
		return p.text[at]
	}
	return 0
}

// value reads the value that begins with c.
func (p *parser) value(c byte, at int) int {
	switch c {
	case '"':
		return p.string(at + 1)
	case '{':
		return p.object(at)
	case '[':
		return p.array(at)
	case 't':
		return p.literal(at, "true", Bool)
	case 'f':
		return p.literal(at, "false", Bool)
	case 'n':
		return p.literal(at, "null", Null)
	}
	if c == '-' || '0' <= c && c <= '9' {
		return p.number(at)
	}
	return p.fail(at, "no value")
}

// push appends a node. The caller sets its fields in place: to build a node and copy it would take longer than the rest of parsing,
// because the CPU waits for what was written in parts before it reads it as a whole.
func (p *parser) push() *node {
	p.nodes = append(p.nodes, node{})
	return &p.nodes[len(p.nodes)-1]
}

// open appends a container to the tape. close sets its size.
func (p *parser) open(k Kind) (self int) {
	p.push().kind = k
	p.depth++
	return len(p.nodes) - 1
}

func (p *parser) close(self int, count uint32) {
	n := &p.nodes[self]
	n.next, n.start = uint32(len(p.nodes)), count
	p.depth--
}

// leaf appends the value at text[start:end] to the tape.
func (p *parser) leaf(k Kind, f nodeFlags, start, end int) {
	n := p.push()
	n.start, n.end, n.next = uint32(start), uint32(end), uint32(len(p.nodes))
	n.kind, n.flags = k, f
}

// array reads an array.
func (p *parser) array(at int) int {
	if p.depth == maxDepth {
		return p.fail(at, TooDeep)
	}
	self, count := p.open(Array), uint32(0)
	c, at := p.next(at + 1)
	for c != ']' || count > 0 {
		if at = p.value(c, at); at < 0 {
			return at
		}
		count++
		if c, at = p.next(at); c == ']' {
			break
		}
		if c != ',' {
			return p.fail(at, "neither , nor ] after an element")
		}
		c, at = p.next(at + 1)
	}
	p.close(self, count)
	return at + 1
}

// object reads an object.
func (p *parser) object(at int) int {
	if p.depth == maxDepth {
		return p.fail(at, TooDeep)
	}
	self, count := p.open(Object), uint32(0)
	seen, doubtful := uint64(0), false // a bit for each tag
	c, at := p.next(at + 1)
	for c != '}' || count > 0 {
		if c != '"' {
			return p.fail(at, "no key")
		}
		start, key := at+1, len(p.nodes)
		if at = p.string(start); at < 0 {
			return at
		}
		n := &p.nodes[key]
		if n.flags == 0 {
			n.tag = tagOf(p.text[start], p.text[at-2], at-1-start) // quotes stand around an empty key
		}
		bit := uint64(1) << (n.tag >> 1 & 63)
		doubtful = doubtful || seen&bit != 0 || n.tag == escapedTag
		seen |= bit
		if c, at = p.next(at); c != ':' {
			return p.fail(at, "no : after a key")
		}
		if at = p.value(p.next(at + 1)); at < 0 {
			return at
		}
		p.nodes[key].next = uint32(len(p.nodes))
		count++
		if c, at = p.next(at); c == '}' {
			break
		}
		if c != ',' {
			return p.fail(at, "neither , nor } after a member")
		}
		c, at = p.next(at + 1)
	}
	p.close(self, count)
	if count >= indexFrom {
		p.index(self)
	} else if doubtful {
		p.shadow(self)
	}
	return at + 1
}

func (p *parser) literal(at int, word string, k Kind) int {
	end := at + len(word)
	if end > len(p.text) || p.text[at:end] != word {
		return p.fail(at, "no value")
	}
	p.leaf(k, 0, at, end)
	return end
}

// number reads -? int frac? exp?
func (p *parser) number(start int) int {
	at := start
	if p.peek(at) == '-' {
		at++
	}
	if p.peek(at) == '0' {
		at++
	} else if at = p.digits(at); at < 0 {
		return at
	}
	if p.peek(at) == '.' {
		if at = p.digits(at + 1); at < 0 {
			return at
		}
	}
	if p.peek(at)|0x20 == 'e' {
		at++
		if c := p.peek(at); c == '+' || c == '-' {
			at++
		}
		if at = p.digits(at); at < 0 {
			return at
		}
	}
	p.leaf(Number, 0, start, at)
	return at
}

// digits reads one or more digits.
func (p *parser) digits(start int) int {
	at := start
	for at < len(p.text) && '0' <= p.text[at] && p.text[at] <= '9' {
		at++
	}
	if at == start {
		return p.fail(at, "a digit is missing")
	}
	return at
}

// string reads the rest of a string behind its opening quote.
func (p *parser) string(start int) int {
	text, flags := p.text, nodeFlags(0)
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
			return p.fail(at, "a string without end")
		case text[at] == '"':
			p.leaf(String, flags, start, at)
			return at + 1
		case text[at] != '\\':
			return p.fail(at, "a control character in a string")
		}
		_, size := escape(text[at:])
		if size == 0 {
			return p.fail(at, "no such escape")
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

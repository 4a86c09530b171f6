package jsonvalue

import (
	"fmt"
	"math"
	"slices"
)

const (
	// maxDepth is how deep arrays and objects may nest. No tool takes deeper arguments, but a hostile sender may write them.
	maxDepth = 1000
	// maxText is the longest text whose offsets the tape can hold.
	maxText = math.MaxInt32
	// indexFrom is the number of members from which an object gets a sorted index. For fewer members a linear search is
	// faster. For more, it would let one hostile object take quadratic time.
	indexFrom = 32
)

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
// The RFC leaves three questions open. If a key is repeated, its last member counts. Bytes in strings that are no UTF-8
// are kept as they are. More than 1,000 levels of nesting are an error.
func Decode(text string) (Value, error) {
	doc := &document{nodes: make([]node, 0, 2+len(text)/12)}
	if err := doc.decode(text); err != nil {
		return Value{}, err
	}
	return Value{doc: doc}, nil
}

// A Decoder decodes one text after another into memory that it uses again. The zero value is ready to use, by one
// goroutine at a time.
type Decoder struct{ doc document }

// maxSpare is how many nodes a Decoder keeps (128 KiB), so that one long text does not retain its memory forever.
const maxSpare = 8 << 10

// Decode is like the function [Decode]. Its value is valid until d decodes or forgets. Strings taken from it stay valid.
func (d *Decoder) Decode(text string) (Value, error) {
	if err := d.doc.decode(text); err != nil {
		return Value{}, err
	}
	return Value{doc: &d.doc}, nil
}

// Text is like [StringValue]. Its value is valid until d decodes or forgets.
func (d *Decoder) Text(s string) Value {
	d.doc.text = s
	d.doc.nodes = append(d.doc.nodes[:0], stringNode(s))
	return Value{doc: &d.doc}
}

// Retained is how many nodes d has memory for, of 16 bytes each.
func (d *Decoder) Retained() int { return cap(d.doc.nodes) }

// ForgetText drops the text and keeps all memory. The caller must bound the memory: see [Decoder.Retained].
func (d *Decoder) ForgetText() { d.doc.text = "" }

// Forget drops the text, and memory beyond 128 KiB.
func (d *Decoder) Forget() {
	d.doc.text = ""
	if cap(d.doc.nodes) > maxSpare || cap(d.doc.sorted) > maxSpare {
		d.doc = document{}
	}
}

// decode fills d from text and reuses its memory. Values of the former text are no longer valid.
func (d *document) decode(text string) error {
	p := parser{text: text, nodes: d.nodes[:0], sorted: d.sorted[:0]}
	ok := p.document()
	d.text, d.nodes, d.sorted = text, p.nodes, p.sorted
	if !ok {
		return &SyntaxError{Offset: p.at, Problem: p.problem}
	}
	return nil
}

// A parser is one walk over a text. Its methods report false once problem is set.
type parser struct {
	text    string
	at      int
	depth   int
	nodes   []node
	sorted  []uint32
	problem string
}

func (p *parser) fail(problem string) bool {
	p.problem = problem
	return false
}

func (p *parser) document() bool {
	if len(p.text) > maxText {
		return p.fail("too long")
	}
	p.space()
	if !p.value() {
		return false
	}
	if p.space(); p.at < len(p.text) {
		return p.fail("something follows the value")
	}
	return true
}

// space skips white space.
func (p *parser) space() {
	for p.at < len(p.text) && p.text[p.at] <= ' ' {
		switch p.text[p.at] {
		case ' ', '\n', '\t', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end. A 0 in the text is no JSON either, so no caller must distinguish the two.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) value() bool {
	switch c := p.peek(); c {
	case '"':
		return p.string()
	case '{':
		return p.nested((*parser).object)
	case '[':
		return p.nested((*parser).array)
	case 't':
		return p.literal("true", Bool)
	case 'f':
		return p.literal("false", Bool)
	case 'n':
		return p.literal("null", Null)
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return p.number()
		}
	}
	return p.fail("no value")
}

func (p *parser) nested(read func(*parser) bool) bool {
	if p.depth == maxDepth {
		return p.fail("nested too deep")
	}
	p.depth++
	p.at++
	ok := read(p)
	p.depth--
	return ok
}

// push appends a node. The caller sets its fields in place, because building a node and copying it took more time than the
// rest of parsing.
func (p *parser) push() *node {
	n := len(p.nodes)
	if n == cap(p.nodes) {
		p.nodes = slices.Grow(p.nodes, 1)
	}
	p.nodes = p.nodes[:n+1]
	return &p.nodes[n]
}

// open appends a container to the tape. close sets its size.
func (p *parser) open(k Kind) int {
	n := p.push()
	n.kind, n.flags = k, 0
	return len(p.nodes) - 1
}

func (p *parser) close(at int, count uint32) bool {
	p.at++
	n := &p.nodes[at]
	n.next, n.start = uint32(len(p.nodes)), count
	return true
}

// leaf appends the value at text[start:end] to the tape.
func (p *parser) leaf(k Kind, f nodeFlags, start, end int) bool {
	n := p.push()
	n.start, n.end, n.next = uint32(start), uint32(end), uint32(len(p.nodes))
	n.kind, n.flags = k, f
	return true
}

func (p *parser) array() bool {
	self := p.open(Array)
	if p.space(); p.peek() == ']' {
		return p.close(self, 0)
	}
	for count := uint32(1); ; count++ {
		p.space()
		if !p.value() {
			return false
		}
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			return p.close(self, count)
		default:
			return p.fail("neither , nor ] after an element")
		}
	}
}

func (p *parser) object() bool {
	self := p.open(Object)
	if p.space(); p.peek() == '}' {
		return p.close(self, 0)
	}
	var keys keySketch
	for count := uint32(1); ; count++ {
		if !p.member(&keys) {
			return false
		}
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.close(self, count)
			p.settle(self, keys)
			return true
		default:
			return p.fail("neither , nor } after a member")
		}
	}
}

// member reads a key, a colon and a value, with the space around them.
func (p *parser) member(keys *keySketch) bool {
	p.space()
	if p.peek() != '"' {
		return p.fail("no key")
	}
	if !p.string() {
		return false
	}
	keys.add(p.text, &p.nodes[len(p.nodes)-1])
	p.space()
	if p.peek() != ':' {
		return p.fail("no : after a key")
	}
	p.at++
	p.space()
	if !p.value() {
		return false
	}
	p.space()
	return true
}

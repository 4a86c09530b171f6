package jsonvalue

import (
	"fmt"
	"math"
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
func Decode(text string) (Value, error) {
	doc := &document{nodes: make([]node, 0, 2+len(text)/12)}
	if err := doc.decode(text); err != nil {
		return Value{}, err
	}
	return Value{doc: doc}, nil
}

// A Decoder decodes one text after another and reuses its memory. The zero value is ready to use, by one goroutine at a time.
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

// Forget drops the text, and memory beyond 128 KiB.
func (d *Decoder) Forget() {
	d.doc.text = ""
	if cap(d.doc.nodes) > maxSpare || cap(d.doc.sorted) > maxSpare {
		d.doc = document{}
	}
}

// decode fills d from text and reuses its memory. Values of the former text are no longer valid.
func (d *document) decode(text string) error {
	p := parser{document: document{text, d.nodes[:0], d.sorted[:0]}}
	at, ok := p.parse()
	*d = p.document
	if !ok {
		return &SyntaxError{Offset: at, Problem: p.problem}
	}
	return nil
}

// A parser is one walk over a text. Its methods take the index at which they start to read, and return the index behind what
// they read. They return false once problem is set.
type parser struct {
	document

	depth   int
	problem string
}

// fail records a problem at text[at].
func (p *parser) fail(at int, problem string) (int, bool) {
	p.problem = problem
	return at, false
}

func (p *parser) parse() (int, bool) {
	if len(p.text) > maxText {
		return p.fail(0, "too long")
	}
	at, ok := p.value(p.space(0))
	if !ok {
		return at, false
	}
	if at = p.space(at); at < len(p.text) {
		return p.fail(at, "something follows the value")
	}
	return at, true
}

// space skips white space.
func (p *parser) space(at int) int {
	for at < len(p.text) && p.text[at] <= ' ' && isSpace(p.text[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// peek returns the byte at an index, or 0 at the end. A 0 in the text is not valid JSON either, so callers need not
// distinguish the two.
func (p *parser) peek(at int) byte {
	if at < len(p.text) {
		return p.text[at]
	}
	return 0
}

func (p *parser) value(at int) (int, bool) {
	switch c := p.peek(at); c {
	case '"':
		return p.string(at + 1)
	case '{', '[':
		return p.nested(at)
	case 't':
		return p.literal(at, "true", Bool)
	case 'f':
		return p.literal(at, "false", Bool)
	case 'n':
		return p.literal(at, "null", Null)
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return p.number(at)
		}
	}
	return p.fail(at, "no value")
}

// nested reads an object or an array.
func (p *parser) nested(at int) (int, bool) {
	if p.depth == maxDepth {
		return p.fail(at, TooDeep)
	}
	p.depth++
	var ok bool
	if p.text[at] == '{' {
		at, ok = p.object(at + 1)
	} else {
		at, ok = p.array(at + 1)
	}
	p.depth--
	return at, ok
}

// push appends a node. The caller sets its fields in place, because to build and copy a node took more time than the rest of
// parsing.
func (p *parser) push() *node {
	p.nodes = append(p.nodes, node{})
	return &p.nodes[len(p.nodes)-1]
}

// open appends a container to the tape. close sets its size.
func (p *parser) open(k Kind) int {
	p.push().kind = k
	return len(p.nodes) - 1
}

func (p *parser) close(self int, count uint32) {
	n := &p.nodes[self]
	n.next, n.start = uint32(len(p.nodes)), count
}

// leaf appends the value at text[start:end] to the tape.
func (p *parser) leaf(k Kind, f nodeFlags, start, end int) {
	n := p.push()
	n.start, n.end, n.next = uint32(start), uint32(end), uint32(len(p.nodes))
	n.kind, n.flags = k, f
}

// array reads the rest of an array behind its opening bracket.
func (p *parser) array(at int) (int, bool) {
	self, count := p.open(Array), uint32(0)
	if at = p.space(at); p.peek(at) == ']' {
		p.close(self, 0)
		return at + 1, true
	}
	for {
		var ok bool
		if at, ok = p.value(at); !ok {
			return at, false
		}
		count++
		at = p.space(at)
		switch p.peek(at) {
		case ',':
			at = p.space(at + 1)
		case ']':
			p.close(self, count)
			return at + 1, true
		default:
			return p.fail(at, "neither , nor ] after an element")
		}
	}
}

// object reads the rest of an object behind its opening brace.
func (p *parser) object(at int) (int, bool) {
	self := p.open(Object)
	if at = p.space(at); p.peek(at) == '}' {
		p.close(self, 0)
		return at + 1, true
	}
	var keys keySketch
	for {
		var ok bool
		if at, ok = p.member(at, &keys); !ok {
			return at, false
		}
		switch at = p.space(at); p.peek(at) {
		case ',':
			at = p.space(at + 1)
		case '}':
			p.close(self, uint32(keys.count))
			p.settle(self, keys)
			return at + 1, true
		default:
			return p.fail(at, "neither , nor } after a member")
		}
	}
}

// member reads a key, a colon and a value.
func (p *parser) member(at int, keys *keySketch) (int, bool) {
	if p.peek(at) != '"' {
		return p.fail(at, "no key")
	}
	start := at + 1
	at, ok := p.string(start)
	if !ok {
		return at, false
	}
	keys.add(p.text, start, at-1, p.nodes[len(p.nodes)-1].flags)
	if at = p.space(at); p.peek(at) != ':' {
		return p.fail(at, "no : after a key")
	}
	return p.value(p.space(at + 1))
}

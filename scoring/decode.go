package scoring

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

const (
	// maxDepth is how deep arrays and objects may nest. No tool takes such arguments; a hostile caller might send them.
	maxDepth = 1000
	// maxText is the longest text whose offsets the tape can hold.
	maxText = math.MaxInt32
	// indexFrom is the number of members from which an object gets a sorted index. Below, looking at all is faster;
	// above, looking at all would let one hostile object take quadratic time.
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

// Decode reads one JSON document as RFC 8259 has it, and nothing behind it but white space.
//
// Three things the RFC leaves open: a key that is written twice counts as written last, bytes in strings that are
// no UTF-8 are kept as they are, and more than 1,000 levels of nesting are an error.
func Decode(text string) (Value, error) {
	doc := &document{nodes: make([]node, 0, 2+len(text)/12)}
	if err := doc.decode(text); err != nil {
		return Value{}, err
	}
	return Value{doc: doc}, nil
}

// decode fills d from text, reusing its memory. Values of what d held before are void.
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

// peek is the byte at hand, or 0 at the end. A 0 in the text is no JSON either, so no caller tells the two apart.
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

// push makes room for one more node. Its fields are set in place: to build a node first and copy it is slower than
// all the rest.
func (p *parser) push() *node {
	n := len(p.nodes)
	if n == cap(p.nodes) {
		p.nodes = slices.Grow(p.nodes, 1)
	}
	p.nodes = p.nodes[:n+1]
	return &p.nodes[n]
}

// open puts a container on the tape; close tells it what it holds.
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

// leaf puts what stands between start and end on the tape.
func (p *parser) leaf(k Kind, f nodeFlags, start, end int) bool {
	n := p.push()
	n.start, n.end, n.next = uint32(start), uint32(end), uint32(len(p.nodes))
	n.kind, n.flags = k, f
	return true
}

func (p *parser) literal(word string, k Kind) bool {
	end := p.at + len(word)
	if end > len(p.text) || p.text[p.at:end] != word {
		return p.fail("no value")
	}
	p.at = end
	return p.leaf(k, 0, end-len(word), end)
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

// number reads -? int frac? exp?
func (p *parser) number() bool {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else if !p.digits() {
		return false
	}
	if p.peek() == '.' {
		p.at++
		if !p.digits() {
			return false
		}
	}
	if p.peek()|0x20 == 'e' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return false
		}
	}
	return p.leaf(Number, 0, start, p.at)
}

// digits reads at least one.
func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at > start || p.fail("a digit is missing")
}

// string reads a string, quotes included.
func (p *parser) string() bool {
	start, flags := p.at+1, nodeFlags(0)
	for at := start; ; {
		at = special(p.text, at)
		p.at = at
		switch {
		case at == len(p.text):
			return p.fail("a string without end")
		case p.text[at] == '"':
			p.at++
			return p.leaf(String, flags, start, at)
		case p.text[at] != '\\':
			return p.fail("a control character in a string")
		}
		n := escapeLen(p.text[at:])
		if n == 0 {
			return p.fail("no such escape")
		}
		flags = escaped
		at += n
	}
}

// special is where, from at on, the next byte stands at which reading a string must stop and think: a quote, a
// backslash or a control character. It looks at eight bytes together. Each test sets the top bit of the bytes that it
// is for, and perhaps of some behind the first of them; so the lowest bit is right.
func special(s string, at int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(s); at += 8 {
		x := eight(s[at : at+8])
		quote, slash := x^ones*'"', x^ones*'\\'
		hit := ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*0x20)&^x) & tops
		if hit != 0 {
			return at + bits.TrailingZeros64(hit)/8
		}
	}
	for at < len(s) && s[at] != '"' && s[at] != '\\' && s[at] >= 0x20 {
		at++
	}
	return at
}

// eight reads the eight bytes of s, which the compiler makes one load.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// escapeLen is the length of the escape at the front of s, or 0 where it is none.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s) >= 6 && hexDigit(s[2])|hexDigit(s[3])|hexDigit(s[4])|hexDigit(s[5]) < 16 {
			return 6
		}
	}
	return 0
}

// A keySketch notices cheaply that an object has no key twice, which is what nearly all objects are like.
type keySketch struct {
	seen  uint64
	count int
	// doubtful: two keys may be the same. Only then is it worth comparing them.
	doubtful bool
}

func (k *keySketch) add(text string, n *node) {
	k.count++
	bit := uint64(1) << ((n.end - n.start) & 63)
	if n.end > n.start {
		bit = 1 << ((uint32(text[n.start]) + uint32(text[n.end-1])*5 + (n.end-n.start)*11) & 63)
	}
	if n.flags&escaped != 0 || k.seen&bit != 0 {
		k.doubtful = true
	}
	k.seen |= bit
}

// settle shadows the keys that come again later, and indexes an object of many members.
func (p *parser) settle(self int, keys keySketch) {
	if keys.count >= indexFrom {
		p.index(self)
	} else if keys.doubtful {
		p.shadow(self)
	}
}

// shadow compares every key with every later one.
func (p *parser) shadow(self int) {
	doc := document{text: p.text, nodes: p.nodes}
	end := p.nodes[self].next
	for key := uint32(self) + 1; key < end; key = p.nodes[key+1].next {
		for later := p.nodes[key+1].next; later < end; later = p.nodes[later+1].next {
			if sameText(doc.textOf(&p.nodes[key]), doc.textOf(&p.nodes[later])) {
				p.hide(self, key)
				break
			}
		}
	}
}

func (p *parser) hide(self int, key uint32) {
	p.nodes[key].flags |= shadowed
	p.nodes[self].start--
}

// index sorts the keys; those that are the same come to stand side by side, the last one last.
func (p *parser) index(self int) {
	doc := document{text: p.text, nodes: p.nodes}
	first := len(p.sorted)
	for key := uint32(self) + 1; key < p.nodes[self].next; key = p.nodes[key+1].next {
		p.sorted = append(p.sorted, key)
	}
	keys := p.sorted[first:]
	slices.SortStableFunc(keys, func(a, b uint32) int {
		return compareText(doc.textOf(&p.nodes[a]), doc.textOf(&p.nodes[b]))
	})
	kept := keys[:0]
	for i, key := range keys {
		if i+1 < len(keys) && sameText(doc.textOf(&p.nodes[key]), doc.textOf(&p.nodes[keys[i+1]])) {
			p.hide(self, key)
			continue
		}
		kept = append(kept, key)
	}
	p.sorted = p.sorted[:first+len(kept)]
	n := &p.nodes[self]
	n.flags |= indexed
	n.end = uint32(first)
}

package jsonvalue

import "math/bits"

func (p *parser) literal(word string, k Kind) bool {
	end := p.at + len(word)
	if end > len(p.text) || p.text[p.at:end] != word {
		return p.fail("no value")
	}
	p.at = end
	return p.leaf(k, 0, end-len(word), end)
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

// special is the index of the next special byte from at on: a quote, a backslash or a control character. It tests eight
// bytes at once. Each test sets the top bit of the bytes that it finds, and perhaps of some bytes behind the first of
// them. So the lowest bit that is set is right. A quote and the control characters share a test: after 0x20 and 0x22 are
// swapped, they are the bytes below 0x21.
func special(s string, at int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(s); at += 8 {
		x := eight(s[at : at+8])
		low, slash := x^ones*2, x^ones*'\\'
		hit := ((low-ones*0x21)&^low | (slash-ones)&^slash) & tops
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

// escapeLen is the length of the escape at the front of s, or 0 if there is none.
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

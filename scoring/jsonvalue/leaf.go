package jsonvalue

import "math/bits"

func (p *parser) literal(at int, word string, k Kind) (int, bool) {
	end := at + len(word)
	if end > len(p.text) || p.text[at:end] != word {
		return p.fail(at, "no value")
	}
	p.leaf(k, 0, at, end)
	return end, true
}

// number reads -? int frac? exp?
func (p *parser) number(start int) (int, bool) {
	at := start
	if p.peek(at) == '-' {
		at++
	}
	var ok bool
	if p.peek(at) == '0' {
		at++
	} else if at, ok = p.digits(at); !ok {
		return at, false
	}
	if p.peek(at) == '.' {
		if at, ok = p.digits(at + 1); !ok {
			return at, false
		}
	}
	if p.peek(at)|0x20 == 'e' {
		at++
		if c := p.peek(at); c == '+' || c == '-' {
			at++
		}
		if at, ok = p.digits(at); !ok {
			return at, false
		}
	}
	p.leaf(Number, 0, start, at)
	return at, true
}

// digits reads one or more digits.
func (p *parser) digits(start int) (int, bool) {
	at := start
	for at < len(p.text) && '0' <= p.text[at] && p.text[at] <= '9' {
		at++
	}
	if at == start {
		return p.fail(at, "a digit is missing")
	}
	return at, true
}

// string reads the rest of a string behind its opening quote.
func (p *parser) string(start int) (int, bool) {
	at := special(p.text, start)
	if p.peek(at) == '"' {
		p.leaf(String, 0, start, at)
		return at + 1, true
	}
	return p.escapedString(start, at)
}

// escapedString is string for a text whose first special byte is not a quote. at is its index.
func (p *parser) escapedString(start, at int) (int, bool) {
	for ; p.peek(at) != '"'; at = special(p.text, at) {
		switch {
		case at == len(p.text):
			return p.fail(at, "a string without end")
		case p.text[at] != '\\':
			return p.fail(at, "a control character in a string")
		}
		n := escapeLen(p.text[at:])
		if n == 0 {
			return p.fail(at, "no such escape")
		}
		at += n
	}
	p.leaf(String, escaped, start, at)
	return at + 1, true
}

// special returns the index of the next special byte from at on: a quote, a backslash or a control character. It tests eight
// bytes at once. Each test sets the top bit of the bytes that it finds, and perhaps of some bytes behind the first of them.
// So the lowest set bit is right. A quote and the control characters share a test: after swapping 0x20 and 0x22, they are the
// bytes below 0x21.
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

// eight reads the first eight bytes of s. The compiler makes this one load.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// escapeLen returns the length of the escape at the front of s, or 0 if there is none.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s) >= 6 && hex4(s[2:6]) >= 0 {
			return 6
		}
	}
	return 0
}

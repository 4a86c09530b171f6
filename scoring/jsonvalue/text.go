package jsonvalue

import (
	"cmp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A text is a string as it is written between its quotes.
type text struct {
	raw     string
	escaped bool
}

// A cursor walks the unescaped bytes of a text without allocating a string.
type cursor struct {
	text
	pending  [utf8.UTFMax]byte // the bytes of the last \u escape; pending[from:to] is not yet read
	from, to uint8
}

func (d *document) raw(n *node) string { return d.text[n.start:n.end] }

func (d *document) textOf(n *node) text { return text{d.raw(n), n.flags&escaped != 0} }

// str returns the string of a String node.
func (d *document) str(n *node) string {
	if n.flags&escaped == 0 {
		return d.raw(n)
	}
	var b strings.Builder
	b.Grow(int(n.end - n.start))
	c := cursor{text: d.textOf(n)}
	for {
		plain := strings.IndexByte(c.raw, '\\') // text without escapes is copied at once
		if plain < 0 {
			b.WriteString(c.raw)
			return b.String()
		}
		b.WriteString(c.raw[:plain])
		c.raw = c.raw[plain:]
		b.WriteByte(c.unescape())
		b.Write(c.pending[c.from:c.to])
		c.from = c.to
	}
}

// next returns the next unescaped byte.
func (c *cursor) next() (byte, bool) {
	if c.from < c.to {
		c.from++
		return c.pending[c.from-1], true
	}
	if c.raw == "" {
		return 0, false
	}
	x := c.raw[0]
	if x != '\\' || !c.escaped {
		c.raw = c.raw[1:]
		return x, true
	}
	return c.unescape(), true
}

// unescape reads one escape, which the decoder has checked.
func (c *cursor) unescape() byte {
	x := c.raw[1]
	switch x {
	case 'b':
		x = '\b'
	case 'f':
		x = '\f'
	case 'n':
		x = '\n'
	case 'r':
		x = '\r'
	case 't':
		x = '\t'
	case 'u':
		return c.codePoint()
	}
	c.raw = c.raw[2:]
	return x
}

// codePoint reads an escape of four hex digits, or two of them if they are a surrogate pair.
func (c *cursor) codePoint() byte {
	r := hex4(c.raw[2:6])
	c.raw = c.raw[6:]
	if utf16.IsSurrogate(r) {
		r = c.lowSurrogate(r)
	}
	c.to = uint8(utf8.EncodeRune(c.pending[:], r))
	c.from = 1
	return c.pending[0]
}

// lowSurrogate joins r with the escape behind it. Without a partner, r becomes U+FFFD.
func (c *cursor) lowSurrogate(r rune) rune {
	if len(c.raw) < 6 || c.raw[0] != '\\' || c.raw[1] != 'u' {
		return utf8.RuneError
	}
	pair := utf16.DecodeRune(r, hex4(c.raw[2:6]))
	if pair != utf8.RuneError {
		c.raw = c.raw[6:]
	}
	return pair
}

// hex4 reads four hexadecimal digits, which the decoder has checked.
func hex4(s string) rune {
	var r rune
	for i := range 4 {
		r = r<<4 | rune(hexDigit(s[i]))
	}
	return r
}

// hexDigit returns the value of a hexadecimal digit, or 16 for any other byte.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}

// sameText reports whether two texts are the same string after unescaping.
func sameText(a, b text) bool {
	if !a.escaped && !b.escaped {
		return a.raw == b.raw
	}
	return compareEscaped(a, b) == 0
}

// IsText reports whether v is a String of exactly these bytes. It allocates nothing.
func (v Value) IsText(s string) bool {
	return v.Kind() == String && sameText(v.doc.textOf(v.node()), text{raw: s})
}

// compareText orders two strings by their bytes.
func compareText(a, b text) int {
	if !a.escaped && !b.escaped {
		return cmp.Compare(a.raw, b.raw)
	}
	return compareEscaped(a, b)
}

func compareEscaped(a, b text) int {
	c, d := cursor{text: a}, cursor{text: b}
	for {
		x, moreC := c.next()
		y, moreD := d.next()
		switch {
		case !moreC || !moreD:
			return compareEnds(moreC, moreD)
		case x != y:
			return cmp.Compare(x, y)
		}
	}
}

// compareEnds orders two strings when at least one has ended.
func compareEnds(moreA, moreB bool) int {
	switch {
	case moreA == moreB:
		return 0
	case moreB:
		return -1
	}
	return 1
}

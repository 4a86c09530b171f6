package jsonvalue

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
	for rest := raw; ; {
		plain := strings.IndexByte(rest, '\\') // text without escapes is copied at once
		if plain < 0 {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(rest[:plain])
		escape := rest[plain+1]
		rest = rest[plain+2:]
		switch escape {
		case 'b':
			escape = '\b'
		case 'f':
			escape = '\f'
		case 'n':
			escape = '\n'
		case 'r':
			escape = '\r'
		case 't':
			escape = '\t'
		case 'u':
			var r rune
			r, rest = codePoint(rest)
			b.WriteRune(r)
			continue
		}
		b.WriteByte(escape)
	}
}

// codePoint reads the four hex digits of an escape, and the escape behind it if both are a surrogate pair. Without a partner, half of
// a pair becomes U+FFFD.
func codePoint(s string) (r rune, rest string) {
	r, rest = hex4(s[:4]), s[4:]
	if !utf16.IsSurrogate(r) {
		return r, rest
	}
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return utf8.RuneError, rest
	}
	if r = utf16.DecodeRune(r, hex4(rest[2:6])); r != utf8.RuneError {
		rest = rest[6:]
	}
	return r, rest
}

// hex4 reads four hexadecimal digits, or returns -1.
func hex4(s string) rune {
	r, err := strconv.ParseUint(s, 16, 16)
	if err != nil {
		return -1
	}
	return rune(r)
}

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
	for {
		plain := strings.IndexByte(raw, '\\') // text without escapes is copied at once
		if plain < 0 {
			b.WriteString(raw)
			return b.String()
		}
		b.WriteString(raw[:plain])
		r, size := escape(raw[plain:])
		b.WriteRune(r)
		raw = raw[plain+size:]
	}
}

// escapes are the characters of the escapes of two bytes, by the second one.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads the escape at the front of s, two of them if they are a surrogate pair. The size is 0 if there is none. Without a partner,
// half of a pair becomes U+FFFD.
func escape(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	if c := escapes[s[1]]; c != 0 {
		return rune(c), 2
	}
	r = codeUnit(s)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if r = utf16.DecodeRune(r, codeUnit(s[6:])); r != utf8.RuneError {
		return r, 12
	}
	return r, 6
}

// codeUnit reads the escape of a UTF-16 code unit, such as \u00e9, or returns -1.
func codeUnit(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

// Package safename makes names fit to be shown anywhere.
//
// Names of tools and keys come from telemetry that strangers write. They may be megabytes long, be no UTF-8, or have
// characters that hide or rearrange what stands behind them. [Of] escapes what cannot be seen, and cuts what is long.
//
//   - Characters that cannot be seen, or that rearrange what can, are escaped as in a Go string: "\n", "\u202e", "\xff".
//   - A name that does not fit ends with an ellipsis. No character and no escape is cut in two.
//   - A name of printable ASCII that fits is returned as it is. A backslash is not escaped.
//
// The work is bounded by the limit, however long the name is. safename.go is all of it.
package safename

import (
	"encoding/binary"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// ellipsis stands behind a text that was cut.
const ellipsis = "…"

// Of returns a name that can be shown anywhere: valid UTF-8 in one line, of at most limit bytes. A limit below 8 counts as 8.
func Of(name string, limit int) string {
	limit = max(limit, 8)
	if len(name) <= limit && plain(name) {
		return name
	}
	safe := make([]byte, 0, min(limit, len(name)+len(name)/2))
	fits := 0 // so much of safe leaves room for the ellipsis
	for rest := name; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		safe = appendRune(safe, r, rest[:size])
		if len(safe) > limit {
			return string(append(safe[:fits], ellipsis...))
		}
		if len(safe) <= limit-len(ellipsis) {
			fits = len(safe)
		}
		rest = rest[size:]
	}
	return string(safe)
}

// appendRune appends r, which was written as raw, or an escape of it.
func appendRune(b []byte, r rune, raw string) []byte {
	const hex = "0123456789abcdef"
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return append(b, '\\', 'x', hex[raw[0]>>4], hex[raw[0]&0xf])
	case unicode.IsGraphic(r):
		return append(b, raw...)
	}
	quoted := strconv.QuoteRune(r) // of a character that is not graphic, it is an escape in quotes
	return append(b, quoted[1:len(quoted)-1]...)
}

// plain reports whether s is all printable ASCII, as nearly every name is.
// Eight bytes are tested at once, and the last eight of a name may be tested again.
func plain(s string) bool {
	const tops = 0x8080808080808080
	if len(s) < 8 {
		for i := range len(s) {
			if s[i] < ' ' || s[i] > '~' {
				return false
			}
		}
		return true
	}
	b := []byte(s)
	found := hidden(b[len(b)-8:])
	for ; len(b) > 8; b = b[8:] {
		found |= hidden(b)
	}
	return found&tops == 0
}

// hidden has the top bit of a byte set if one of the first eight bytes of b is above 0x7f, below 0x20, or 0x7f, and has no
// top bit set if none is.
func hidden(b []byte) uint64 {
	const ones = 0x0101010101010101
	x := binary.LittleEndian.Uint64(b)
	return x | (x - ones*' ') | (x + ones)
}

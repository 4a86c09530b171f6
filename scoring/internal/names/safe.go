package names

import (
	"encoding/binary"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// ellipsis ends a name that was cut.
const ellipsis = "…"

// Safe returns a name that is safe to show anywhere: one line of valid UTF-8, of at most limit bytes. A hostile sender may write
// names of tools and keys. They may be megabytes long, be invalid UTF-8, or have characters that hide or rearrange the text behind
// them.
//
//   - Characters that are invisible or rearrange others are escaped as in a Go string: "\n", "\u202e", "\xff".
//   - A name that does not fit ends with an ellipsis. No character and no escape is cut in two.
//   - A name of printable ASCII that fits is returned as it is. A backslash is not escaped.
//
// The work is in proportion to the limit, however long the name is. A limit below 8 counts as 8.
func Safe(name string, limit int) string {
	limit = max(limit, 8)
	if len(name) <= limit && plain(name) {
		return name
	}
	safe := make([]byte, 0, min(limit, len(name)+len(name)/2))
	fits := 0 // the length of safe that leaves room for the ellipsis
	for rest := name; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 || !unicode.IsGraphic(r) {
			quoted := strconv.Quote(rest[:size])
			safe = append(safe, quoted[1:len(quoted)-1]...)
		} else {
			safe = append(safe, rest[:size]...)
		}
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

// plain reports whether s is all printable ASCII, as nearly every name is: the top bit is set in none of x, x-' ' and x+1 for a byte x. It tests
// eight bytes at once. What they carry into the next one comes from a byte that is not plain.
func plain(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	strange := uint64(0)
	for ; len(s) >= 8; s = s[8:] {
		x := binary.LittleEndian.Uint64([]byte(s[:8])) // one load: the compiler makes no copy
		strange |= x | (x - ones*' ') | (x + ones)
	}
	for i := range len(s) {
		x := uint64(s[i])
		strange |= x | (x - ' ') | (x + 1)
	}
	return strange&tops == 0
}

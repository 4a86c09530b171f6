// Package names compares names with patterns and lists of them, and makes names safe to show. Lists may be long, and any sender may write
// them. So comparisons of patterns with names are counted: see [Budget].
package names

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsPattern reports whether a text has a *.
func IsPattern(text string) bool { return strings.IndexByte(text, '*') >= 0 }

// Match reports whether a pattern matches a name. Each * matches any number of characters, also none, dots and slashes included.
// All other characters match themselves. The work grows with the sum of the lengths.
func Match(pattern, name string) bool {
	star := strings.IndexByte(pattern, '*')
	if star < 0 {
		return pattern == name
	}
	if !strings.HasPrefix(name, pattern[:star]) {
		return false
	}
	for {
		name, pattern = name[star:], pattern[star+1:]
		if star = strings.IndexByte(pattern, '*'); star < 0 {
			return strings.HasSuffix(name, pattern)
		}
		// The first place is the best one, because it leaves the most behind it.
		at := strings.Index(name, pattern[:star])
		if at < 0 {
			return false
		}
		name = name[at:]
	}
}

// A Budget is how many steps are left, so that no input takes longer than a bound allows. A step is about the work on one byte. The
// zero value has none.
type Budget int

// Spend takes n steps. It returns false if the budget has fewer, and the budget is then spent.
func (b *Budget) Spend(n int) bool {
	if n > int(*b) {
		*b = -1
		return false
	}
	*b -= Budget(n)
	return true
}

// Spent reports whether Spend has returned false.
func (b *Budget) Spent() bool { return *b < 0 }

// Match is like the function [Match] and spends a step for each byte. If the budget is spent, nothing matches.
func (b *Budget) Match(pattern, name string) bool {
	return b.Spend(16+len(pattern)+len(name)) && Match(pattern, name)
}

// An Index finds the entries of a list that have a name. The zero value is empty.
type Index struct {
	exact    map[string][]int32
	patterns []entry
}

// An entry is a name with a *, and its number.
type entry struct {
	pattern string
	number  int32
}

// Add adds a name or a pattern of an entry. Entries must come in ascending order. alone is false if the index then has
// names that belong to several entries, or may.
func (x *Index) Add(name string, number int32) (alone bool) {
	if IsPattern(name) {
		x.patterns = append(x.patterns, entry{name, number})
		return false
	}
	if x.exact == nil {
		x.exact = map[string][]int32{}
	}
	x.exact[name] = append(x.exact[name], number)
	return len(x.exact[name]) == 1
}

// Of returns the entries that have a name, each once, perhaps in memory. The caller must not change them. Each comparison of a pattern
// with the name spends steps of work. If the work is spent, Of returns any of the entries.
func (x *Index) Of(name string, memory *[]int32, work *Budget) []int32 {
	exact := x.exact[name]
	if len(x.patterns) == 0 {
		return exact
	}
	found := (*memory)[:0]
	found = append(found, exact...)
	last := int32(-1)
	for _, e := range x.patterns {
		if work.Spent() {
			break
		}
		if e.number == last || !work.Match(e.pattern, name) {
			continue
		}
		last = e.number
		if _, known := slices.BinarySearch(exact, last); !known {
			found = append(found, last)
		}
	}
	*memory = found
	return found
}

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

// plain reports whether s is all printable ASCII, as nearly every name is. It looks at eight bytes at once: the top bit is set in none of c,
// c-' ' and c+1 for a byte c.
func plain(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	strange, b := uint64(0), []byte(s)
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		strange |= x | (x - ones*' ') | (x + ones)
	}
	for _, c := range b {
		strange |= uint64(c | (c - ' ') | (c + 1))
	}
	return strange&tops == 0
}

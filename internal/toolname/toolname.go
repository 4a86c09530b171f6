// Package toolname compares names of tools without case and separators.
//
// Models and instrumentations do not spell a tool's name alike: get_weather, getWeather and get-weather are one tool. [Key] is what
// all of its names have in common. Package dialect compares requests with the tools that were offered. Package runs compares
// spans with requests.
//
// toolname.go is the whole package.
package toolname

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folded is a name without case and separators.
func Folded(name string) string { return strings.Map(foldedRune, name) }

// foldedRune is a letter or digit in lower case, and -1 for all else. Nearly all names are ASCII.
func foldedRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		return r
	case 'A' <= r && r <= 'Z':
		return r + ('a' - 'A')
	case r < utf8.RuneSelf, !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return -1
	}
	return unicode.ToLower(r)
}

// seed is another one in every process, so that nobody can make names that meet.
var seed = maphash.MakeSeed()

// Key is a hash of the folded name, which all names of one tool have in common. Names without letters and digits, such as + and -, stay
// as they are. It is 0 for "".
func Key(name string) uint64 {
	if name == "" {
		return 0
	}
	folded := make([]byte, 0, 64) // on the stack
	for _, r := range name {
		if f := foldedRune(r); f >= 0 {
			folded = utf8.AppendRune(folded, f)
		}
	}
	if len(folded) == 0 {
		folded = append(folded, name...)
	}
	return maphash.Bytes(seed, folded)
}

// Same reports whether two names have one [Key]. It reads no further than to the first difference.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	for folded := false; ; folded = true {
		var x, y rune
		x, a = nextFolded(a)
		y, b = nextFolded(b)
		if x != y {
			return false
		}
		if x < 0 {
			return folded // names that fold to nothing stay as they are, and these differ
		}
	}
}

// nextFolded returns the first letter or digit of a name, folded, and the rest of the name. It is -1 if there is none.
func nextFolded(name string) (rune, string) {
	for i, r := range name {
		if f := foldedRune(r); f >= 0 {
			return f, name[i+utf8.RuneLen(r):]
		}
	}
	return -1, ""
}

// Spellings has names of tools by [Key]. A name is "" if different names have its key.
type Spellings map[uint64]string

// Add adds a name with its key.
func (s Spellings) Add(key uint64, name string) {
	if first, again := s[key]; again && first != name {
		name = ""
	}
	s[key] = name
}

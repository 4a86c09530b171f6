package compare

import (
	"cmp"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is the name of a call, which is folded at its first comparison.
type Name struct {
	text string
	done bool
}

// Folded is the folded name, which must be the same name each time.
func (n *Name) Folded(name string, w *Work) string {
	if !n.done {
		n.text, n.done = Folded(name), true
		w.Read(len(name))
	}
	return n.text
}

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

// SameTool reports whether two names have one [ToolKey]. It reads no further than to the first difference.
func SameTool(a, b string) bool {
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

// ToolKey is the folded name, which all names of one tool have in common. Names without letters and digits, such as + and -,
// stay as they are.
func ToolKey(name string) string {
	if key := Folded(name); key != "" {
		return key
	}
	return name
}

// NameHash is a hash of an agent's name, whatever its case and separators. It is 0 for no name.
func NameHash(name string) uint32 {
	if name == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(ToolKey(name)))
	return cmp.Or(h.Sum32(), 1)
}

// Spellings has names of tools by [ToolKey].
type Spellings map[string]string

// Add adds a name with its key.
func (s Spellings) Add(key, name string, w *Work) {
	w.Read(len(name))
	if first, again := s[key]; again && first != name {
		name = ""
	}
	s[key] = name
}

// Of returns the name with that key. It is "" if no name was added, or if different names were.
func (s Spellings) Of(key string) (name string, differ bool) {
	name, added := s[key]
	return name, added && name == ""
}

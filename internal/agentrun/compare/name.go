package compare

import (
	"cmp"
	"hash/fnv"
	"strings"
	"unicode"
)

// Name is what is known of the name of a call, which is folded when it is first compared.
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
func Folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// SameTool reports whether two names are one but for case and separators.
func SameTool(a, b string) bool { return a == b || ToolKey(a) == ToolKey(b) }

// ToolKey is what all names of one tool have in common: the folded name. Names without letters and digits, such as +
// and -, stay as they are.
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

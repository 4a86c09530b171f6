package compare

import (
	"cmp"
	"hash/fnv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// Name is the name of a call, which is folded at its first comparison.
type Name struct {
	text string
	done bool
}

// Folded is the folded name, which must be the same name each time.
func (n *Name) Folded(name string, w *Work) string {
	if !n.done {
		n.text, n.done = toolname.Folded(name), true
		w.Read(len(name))
	}
	return n.text
}

// NameHash is a hash of an agent's name, whatever its case and separators. It is 0 for no name.
func NameHash(name string) uint32 {
	if name == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(toolname.Key(name)))
	return cmp.Or(h.Sum32(), 1)
}

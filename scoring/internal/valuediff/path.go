package valuediff

import (
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/safename"
)

// maxKey bounds the bytes of a key in a path.
const maxKey = 64

// enter adds the step to a member, .name or ["not a name"], and returns the length of the path before.
func (w *walker) enter(name string) (before int) {
	before = len(w.path)
	switch {
	case !isPlain(name):
		w.path = append(w.path, `["`...)
		w.path = append(w.path, safename.Of(name, maxKey)...)
		w.path = append(w.path, `"]`...)
	case before == 0:
		w.path = append(w.path, name...)
	default:
		w.path = append(w.path, '.')
		w.path = append(w.path, name...)
	}
	return before
}

// enterIndex adds the step to an element, and returns the length of the path before.
func (w *walker) enterIndex(i int) (before int) {
	before = len(w.path)
	w.path = append(w.path, '[')
	w.path = strconv.AppendInt(w.path, int64(i), 10)
	w.path = append(w.path, ']')
	return before
}

// leave cuts the path to a length that enter returned.
func (w *walker) leave(before int) { w.path = w.path[:before] }

// isPlain reports whether a key reads well without quotes.
func isPlain(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return 0 < len(name) && len(name) <= maxKey
}

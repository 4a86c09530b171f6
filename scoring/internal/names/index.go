package names

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
)

// An Index finds the entries of a list that have a name. The zero value is empty.
type Index struct {
	exact    map[string][]int32
	patterns []pattern
}

// A pattern is a name with a *, of an entry.
type pattern struct {
	text  string
	entry int32
}

// Add adds a name or a pattern of an entry. Entries must come in ascending order. alone is false if the index then has
// names that belong to several entries, or may.
func (x *Index) Add(name string, entry int32) (alone bool) {
	if glob.Is(name) {
		x.patterns = append(x.patterns, pattern{name, entry})
		return false
	}
	if x.exact == nil {
		x.exact = map[string][]int32{}
	}
	x.exact[name] = append(x.exact[name], entry)
	return len(x.exact[name]) == 1
}

// A Search asks an index for names. It reuses its memory, by one goroutine at a time. The zero value is ready to use.
type Search struct{ found []int32 }

// Of returns the entries that have a name, each once. The slice is valid until the next call of Of.
func (s *Search) Of(x *Index, name string) []int32 {
	exact := x.exact[name]
	if len(x.patterns) == 0 {
		return exact
	}
	s.found = append(s.found[:0], exact...)
	last := int32(-1)
	for _, g := range x.patterns {
		if g.entry == last || !glob.Match(g.text, name) {
			continue
		}
		if last = g.entry; len(exact) == 0 || !has(exact, g.entry) {
			s.found = append(s.found, g.entry)
		}
	}
	return s.found
}

func has(ascending []int32, entry int32) bool {
	_, found := slices.BinarySearch(ascending, entry)
	return found
}

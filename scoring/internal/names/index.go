package names

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/steps"
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
type Search struct {
	index *Index
	work  *steps.Budget
	found []int32
	// known says, if kept is set, where in found the entries of a name are that was asked for before.
	known map[string]span
	kept  bool
}

type span struct{ from, to int }

// few is the number of patterns times names up to which trying all of them is faster than remembering answers.
const few = 4096

// Begin starts to ask an index. names is how often Of will be called. Each comparison of a pattern with a name spends steps of work, and equal
// names are compared once.
func (s *Search) Begin(x *Index, names int, work *steps.Budget) {
	s.Forget()
	s.index, s.work = x, work
	if s.kept = len(x.patterns)*names > few; s.kept && s.known == nil {
		s.known = map[string]span{}
	}
}

// Forget drops all names.
func (s *Search) Forget() {
	clear(s.known)
	s.index, s.work, s.found = nil, nil, s.found[:0]
}

// Retained returns about how many words of memory s keeps.
func (s *Search) Retained() int { return cap(s.found) + 8*len(s.known) }

// Of returns the entries that have a name, each once. The slice is valid until the next call of Of. If the work is spent,
// Of returns any of them.
func (s *Search) Of(name string) []int32 {
	exact := s.index.exact[name]
	if len(s.index.patterns) == 0 {
		return exact
	}
	if !s.kept {
		s.found = s.found[:0]
		s.add(exact, name)
		return s.found
	}
	at, again := s.known[name]
	if !again {
		at.from = len(s.found)
		s.add(exact, name)
		at.to = len(s.found)
		s.known[name] = at
	}
	return s.found[at.from:at.to]
}

// add appends to found the entries of a name, given those that have it without a *.
func (s *Search) add(exact []int32, name string) {
	s.found = append(s.found, exact...)
	last := int32(-1)
	for _, g := range s.index.patterns {
		if g.entry == last {
			continue
		}
		if !s.work.Spend(glob.Steps(g.text, name)) {
			return
		}
		if !glob.Match(g.text, name) {
			continue
		}
		if last = g.entry; len(exact) == 0 || !has(exact, g.entry) {
			s.found = append(s.found, g.entry)
		}
	}
}

func has(ascending []int32, entry int32) bool {
	_, found := slices.BinarySearch(ascending, entry)
	return found
}

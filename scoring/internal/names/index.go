package names

import "slices"

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

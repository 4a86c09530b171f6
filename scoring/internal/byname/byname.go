// Package byname is an index from names to numbers: each name has its numbers in order, and skips those that are used up.
//
// The numbers may be calls that no finding has explained yet. Each name has a queue. Used numbers at its front are dropped,
// so that repeated lookups of a name do not visit them again.
//
// An [Index] reuses its memory, by one goroutine at a time. byname.go is the whole package.
package byname

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"

// An Index finds numbers by name. Call [Index.Reset], then [Index.Add] for each number, then [Index.First].
type Index struct {
	// Names are all names, each once, in the order in which they were added.
	Names []string
	of    map[string]queue
	// behind has for each number the next one of its name, or -1.
	behind []int32
}

// A queue is the first and the last number of a name, -1 for none.
type queue struct{ first, last int32 }

// Reset allocates room for the numbers below n. The index must be new, or empty after [Index.Forget].
func (x *Index) Reset(n int) {
	x.behind = reuse.Sized(x.behind, n)
	if x.of == nil {
		x.of = map[string]queue{}
	}
}

// Forget removes all names and drops their texts. Its time is in proportion to the most names that the index ever had.
func (x *Index) Forget() {
	clear(x.of)
	clear(x.Names)
	x.Names = x.Names[:0]
}

// Add adds a number to a name. The numbers of a name must be added in ascending order.
func (x *Index) Add(name string, number int) {
	at := int32(number)
	q, known := x.of[name]
	if known {
		x.behind[q.last] = at
	} else {
		x.Names = append(x.Names, name)
		q.first = at
	}
	q.last, x.behind[at] = at, -1
	x.of[name] = q
}

// First appends to few the first free numbers of a name, up to its capacity, and returns it. A number that is not free must
// never become free again. First visits at most twice as many numbers as few has capacity.
func (x *Index) First(name string, free func(number int) bool, few []int) []int {
	q, ok := x.of[name]
	if !ok {
		return nil
	}
	for q.first >= 0 && !free(int(q.first)) {
		q.first = x.behind[q.first]
	}
	x.of[name] = q
	for j, looked := q.first, 0; j >= 0 && looked < 2*cap(few) && len(few) < cap(few); j, looked = x.behind[j], looked+1 {
		if free(int(j)) {
			few = append(few, int(j))
		}
	}
	return few
}

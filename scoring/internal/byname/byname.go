// Package byname finds numbers by name, each name's in order, and skips those that are used up.
//
// The numbers may be calls that no finding has explained yet; this package does not know. A name has a queue. What is used up
// at its front is dropped, so that a name that is asked for again and again does not look at the same numbers each time.
//
// The memory is used again, by one goroutine at a time. byname.go is all of it.
package byname

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"

// An Index has numbers by name. Call [Index.Reset], [Index.Add] for each number, and then [Index.First].
type Index struct {
	// Names are all names, each once, in the order in which they were added.
	Names []string
	of    map[string]queue
	// behind has for each number the next one of its name, or -1.
	behind []int32
}

// A queue is numbers of one name, from the first to the last; -1 is none.
type queue struct{ first, last int32 }

// Reset makes room for the numbers from 0 to before n. The index must be new, or [Index.Forget] have been called.
func (x *Index) Reset(n int) {
	x.behind = reuse.Sized(x.behind, n)
	if x.of == nil {
		x.of = map[string]queue{}
	}
}

// Forget removes all names, without any reference to their texts. It takes time in proportion to the most names there were.
func (x *Index) Forget() {
	clear(x.of)
	clear(x.Names)
	x.Names = x.Names[:0]
}

// Add adds a number to a name. Numbers of a name come in ascending order.
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

// First adds to few the first numbers of a name that are free, up to its capacity, and returns it. A number that is not free
// must never be free again. Between free numbers it may skip others, but it looks at no more than twice the capacity.
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

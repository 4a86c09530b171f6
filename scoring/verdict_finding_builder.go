package scoring

import (
	"slices"
	"sync"
)

// A findingBuilder collects the findings of an alignment. Its memory is used again, so that a reason costs as few allocations
// as it has differences.
type findingBuilder struct {
	a     Alignment
	found []Finding
	// at is where the finding of a kind and name without details is.
	at map[findingKey]int
	// taken is what became of each call: of those in a pair, and of those that a finding has explained.
	taken   []CallClass
	details int

	// left are the calls in no pair by name, and names their names in order. Only a missing tool asks for them; sorted
	// says that one has. behind is, of each of these calls, the next one of its name, or -1.
	sorted bool
	left   map[string]queue
	names  []string
	behind []int32
	// few is where the calls that free returns stand.
	few [maxRivals]int
	// text is a reason under way.
	text []byte
}

type findingKey struct {
	kind FindingKind
	name string
}

// A queue is a row of calls, from the first to the last; -1 is none.
type queue struct{ first, last int32 }

var findingBuilders = sync.Pool{New: func() any {
	return &findingBuilder{at: map[findingKey]int{}, left: map[string]queue{}}
}}

func newFindingBuilder(a Alignment) *findingBuilder {
	f := findingBuilders.Get().(*findingBuilder)
	f.a = a
	return f
}

// release gives the memory back. What a single large run needed is left to the garbage collector, and nothing of a
// call stays alive. Maps are kept while they are small only: to clear one takes as long as it ever was large.
func (f *findingBuilder) release() {
	const small, modest = 256, 1 << 16
	if len(f.at)+len(f.names) > small || cap(f.found)+cap(f.taken)+cap(f.text) > modest {
		return
	}
	clear(f.at)
	clear(f.left)
	clear(f.found)
	clear(f.names)
	f.a, f.found, f.names = Alignment{}, f.found[:0], f.names[:0]
	f.details, f.sorted = 0, false
	findingBuilders.Put(f)
}

// find finds everything, what should be mended first in front.
func (f *findingBuilder) find() {
	f.takePaired()
	f.forbidden()
	f.pairs()
	f.unmatched()
	f.unexpected()
	slices.SortStableFunc(f.found, func(a, b Finding) int { return int(a.Kind) - int(b.Kind) })
}

// takePaired tells the calls that stand for something from those that are left over.
func (f *findingBuilder) takePaired() {
	f.taken = filled(f.taken, len(f.a.Called), CallUnexpected)
	for _, p := range f.a.Pairs {
		f.taken[p.Called] = CallMatched // or partly
	}
	for _, j := range f.a.Forbidden {
		f.taken[j] = CallForbidden
	}
	for _, j := range f.a.Repeats {
		f.taken[j] = CallRepeated
	}
}

// sortCalls lists the calls that are left over by their names.
func (f *findingBuilder) sortCalls() {
	f.sorted = true
	f.behind = resized(f.behind, len(f.a.Called))
	for j := range f.a.Called {
		if f.taken[j] != CallUnexpected {
			continue
		}
		name, at := f.a.Called[j].Name, int32(j)
		q, known := f.left[name]
		if known {
			f.behind[q.last] = at
		} else {
			f.names = append(f.names, name)
			q.first = at
		}
		q.last, f.behind[at] = at, -1
		f.left[name] = q
	}
}

// rivals are some calls left over that the tool names. A tool with a * or alternatives may name many; it is only
// asked for as long as details are given.
func (f *findingBuilder) rivals(t *Tool, detailed bool) []int {
	if !f.sorted {
		f.sortCalls()
	}
	if len(t.Names) == 0 {
		if rivals := f.free(t.Name); len(rivals) > 0 || !isGlob(t.Name) {
			return rivals
		}
	}
	if !detailed {
		return nil
	}
	for _, name := range f.names[:min(len(f.names), maxNames)] {
		if rivals := f.free(name); len(rivals) > 0 && t.names(name) {
			return rivals
		}
	}
	return nil
}

// free are the first calls of a name that no finding has explained yet. They last until the next question.
func (f *findingBuilder) free(name string) []int {
	q, ok := f.left[name]
	if !ok {
		return nil
	}
	for q.first >= 0 && f.taken[q.first] != CallUnexpected {
		q.first = f.behind[q.first]
	}
	f.left[name] = q
	free := f.few[:0]
	for j, looked := q.first, 0; j >= 0 && looked < 2*maxRivals && len(free) < maxRivals; j, looked = f.behind[j], looked+1 {
		if f.taken[j] == CallUnexpected {
			free = append(free, int(j))
		}
	}
	return free
}

// take notes that a finding of a kind has explained a call.
func (f *findingBuilder) take(call int, kind FindingKind) { f.taken[call] = kind.class() }

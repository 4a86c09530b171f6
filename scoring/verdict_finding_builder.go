package scoring

import (
	"slices"
	"sync"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/byname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// A findingBuilder collects the findings of an alignment. Its memory is reused, so that a reason allocates little more than
// its differences.
type findingBuilder struct {
	a     Alignment
	found []Finding
	// at maps a kind and a name to the index of its finding without details.
	at map[findingKey]int
	// taken holds the class of each call. CallUnexpected means that neither a pair nor a finding explains the call yet.
	taken   []CallClass
	details int

	// left indexes the unpaired calls by name. It is filled for the first missing tool; then sorted is set.
	sorted bool
	left   byname.Index
	// few is the memory of the slice that free returns.
	few [maxRivals]int
	// text is the buffer for the reason.
	text []byte
}

type findingKey struct {
	kind FindingKind
	name string
}

var findingBuilders = sync.Pool{New: func() any {
	return &findingBuilder{at: map[findingKey]int{}}
}}

func newFindingBuilder(a Alignment) *findingBuilder {
	f := findingBuilders.Get().(*findingBuilder)
	f.a = a
	return f
}

// release returns the memory to the pool, without any reference to a call. The garbage collector gets memory that only a
// large run needs. It also gets large maps: to clear one takes time in proportion to its largest size.
func (f *findingBuilder) release() {
	const small, modest = 256, 1 << 16
	if len(f.at)+len(f.left.Names) > small || cap(f.found)+cap(f.taken)+cap(f.text) > modest {
		return
	}
	clear(f.at)
	f.left.Forget()
	clear(f.found)
	f.a, f.found = Alignment{}, f.found[:0]
	f.details, f.sorted = 0, false
	findingBuilders.Put(f)
}

// find adds all findings and sorts them by kind.
func (f *findingBuilder) find() {
	f.takePaired()
	f.forbidden()
	f.pairs()
	f.unmatched()
	f.unexpected()
	slices.SortStableFunc(f.found, func(a, b Finding) int { return int(a.Kind) - int(b.Kind) })
}

// takePaired marks the calls that are paired, forbidden or repeated.
func (f *findingBuilder) takePaired() {
	f.taken = reuse.Filled(f.taken, len(f.a.Called), CallUnexpected)
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

// sortCalls fills left.
func (f *findingBuilder) sortCalls() {
	f.sorted = true
	f.left.Reset(len(f.a.Called))
	for j := range f.a.Called {
		if f.taken[j] == CallUnexpected {
			f.left.Add(f.a.Called[j].Name, j)
		}
	}
}

// rivals returns some unpaired calls whose names the tool matches. A tool with a * or alternatives may match many names, so
// it tries them only if detailed is true.
func (f *findingBuilder) rivals(t *Tool, detailed bool) []int {
	if !f.sorted {
		f.sortCalls()
	}
	if len(t.Names) == 0 {
		if rivals := f.free(t.Name); len(rivals) > 0 || !glob.Is(t.Name) {
			return rivals
		}
	}
	if !detailed {
		return nil
	}
	for _, name := range f.left.Names[:min(len(f.left.Names), maxNames)] {
		if rivals := f.free(name); len(rivals) > 0 && t.names(name) {
			return rivals
		}
	}
	return nil
}

// free returns the first unexplained calls of a name. The slice is valid until the next call of free.
func (f *findingBuilder) free(name string) []int {
	return f.left.First(name, func(j int) bool { return f.taken[j] == CallUnexpected }, f.few[:0])
}

// take marks a call as explained by a finding of a kind.
func (f *findingBuilder) take(call int, kind FindingKind) { f.taken[call] = kind.class() }

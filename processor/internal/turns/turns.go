// Package turns decides in which order closed runs are judged when judging takes long.
//
// Runs are judged in the order in which they closed, as long as no run has to wait for a slice of [Slice]. A sender can make
// runs whose verdicts take long: long texts that are compared, or thousands of calls and expected tools. Then judging ends with
// the slice, and the processor closes the runs that are due meanwhile. From then on, until no run waits any more, each run is
// judged by itself, and two kinds of slices alternate:
//
//	quick runs first   as far as is known: the bytes of the run, times what a byte of its process took so far. If no run of its
//	                   process was judged yet, the mean of all processes counts.
//	old runs first     in the order in which they closed
//
// So a quick run waits for two slices at most if quicker ones do not fill these, and no run waits for ever.
//
// The package has no lock and no clock.
package turns

import (
	"cmp"
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Slice is how long runs are judged before others may have their turn. The last run of a slice may take longer.
const Slice = 250 * time.Millisecond

// Turns orders the runs that wait. The zero value is ready, and says that no run waits.
type Turns struct {
	used time.Duration // of the slice
	// numbers are of the runs that wait, in the order in which they closed. closed is the last one.
	numbers []int
	closed  int
	quick   bool // this slice judges quick runs first
	costs   map[agentrun.Process]cost
	all     cost
}

// cost is what runs took that were judged.
type cost struct{ nanoseconds, bytes float64 }

func (c *cost) add(run *agentrun.Run, took time.Duration) {
	c.nanoseconds += float64(took)
	c.bytes += float64(1 + run.Retained())
}

// waiting is a run that waits: its place among the others, its number, and how long it takes, as far as is known.
type waiting struct {
	place, number int
	takes         float64
}

// Begin begins a slice. If runs are left from the last one, it puts all of runs in order. The first ones must be those that are
// left, and the others closed since.
func (t *Turns) Begin(runs []agentrun.Run) {
	t.used = 0
	if len(t.numbers) == 0 {
		return
	}
	t.quick = !t.quick
	order := make([]waiting, len(runs))
	for i := range runs {
		order[i] = waiting{i, t.number(i), t.takes(&runs[i])}
	}
	slices.SortFunc(order, func(a, b waiting) int {
		if t.quick && a.takes != b.takes {
			return cmp.Compare(a.takes, b.takes)
		}
		return a.number - b.number
	})
	sorted, numbers := make([]agentrun.Run, len(runs)), make([]int, len(runs))
	for i, w := range order {
		sorted[i], numbers[i] = runs[w.place], w.number
	}
	copy(runs, sorted)
	t.numbers = numbers
}

// number returns the number of the run at a place. A run that closed since has none yet.
func (t *Turns) number(place int) int {
	if place < len(t.numbers) {
		return t.numbers[place]
	}
	t.closed++
	return t.closed
}

// takes is how long a run takes, in nanoseconds.
func (t *Turns) takes(run *agentrun.Run) float64 {
	known, is := t.costs[run.Process()]
	if !is {
		known = t.all
	}
	return float64(1+run.Retained()) * known.nanoseconds / known.bytes
}

// The processor judges up to AtOnce runs and then annotates their spans. The instruction cache of most machines has no room
// for the code of both. It takes no further run once the runs have more than bytesAtOnce bytes.
const AtOnce, bytesAtOnce = 4, 1 << 16

// Next returns the first of runs, which are judged together. While runs wait, it is one, so that its time is known.
func (t *Turns) Next(runs []agentrun.Run) []agentrun.Run {
	n := 1
	for size := runs[0].Retained(); len(t.numbers) == 0 && n < min(len(runs), AtOnce) && size <= bytesAtOnce; n++ {
		size += runs[n].Retained()
	}
	return runs[:n]
}

// Over reports whether the slice is over.
func (t *Turns) Over() bool { return t.used >= Slice }

// Judged notes that the runs of Next were judged, and how long that took.
func (t *Turns) Judged(runs []agentrun.Run, took time.Duration) {
	t.used += took
	if len(t.numbers) == 0 {
		return
	}
	t.numbers = t.numbers[1:]
	of := t.costs[runs[0].Process()]
	of.add(&runs[0], took)
	t.costs[runs[0].Process()] = of
	t.all.add(&runs[0], took)
}

// End ends a slice. rest are the runs that are left.
func (t *Turns) End(rest []agentrun.Run) {
	switch {
	case len(rest) == 0:
		*t = Turns{}
	case len(t.numbers) == 0:
		t.costs, t.all = make(map[agentrun.Process]cost), cost{1, 1}
		for i := range rest {
			t.numbers = append(t.numbers, t.number(i))
		}
	}
}

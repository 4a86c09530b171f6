// Package turns decides in which order closed runs are judged when judging takes long.
//
// Runs are judged in the order in which they closed, as long as no run has to wait for a slice of [Slice]. A sender can make
// runs whose verdicts take long: long texts that are compared, or thousands of calls and expected tools. Then judging ends with
// the slice, the processor closes the runs that are due meanwhile, and sorts all that wait by their turns:
//
//	turn = when the run began to wait + 1 µs for each of its bytes + the time that runs of its process took
//
// So a small run does not wait for large ones, and a process does not wait for the runs of another one that take long. A run
// that waits long enough goes before all newer ones, so each run has its turn at last.
//
// A sender can claim to be many processes, each with one run. These go before the runs of others that are larger.
//
// The package has no lock and no clock.
package turns

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Slice is how long runs are judged before others may have their turn. The last run of a slice may take longer.
const Slice = 250 * time.Millisecond

// perByte is how much later the turn of a run is for each byte that it keeps alive.
const perByte = time.Microsecond

// Turns orders the runs that wait. The zero value is ready, and says that no run has to wait.
type Turns struct {
	since []time.Time // when each run would have its turn if no run of its process had been judged
	took  map[agentrun.Process]time.Duration
	left  time.Duration // of the slice
}

// Begin begins a slice. If runs are left from the last one, it puts all of runs in order. The first ones must be those that are
// left, in their order, and the others came since.
func (t *Turns) Begin(now time.Time, runs []agentrun.Run) {
	t.left = Slice
	if len(t.since) == 0 {
		return
	}
	for i := len(t.since); i < len(runs); i++ {
		t.since = append(t.since, turnOf(now, &runs[i]))
	}
	order := make([]int, len(runs))
	turns := make([]time.Time, len(runs))
	for i := range runs {
		order[i], turns[i] = i, t.since[i].Add(t.took[runs[i].Process()])
	}
	slices.SortStableFunc(order, func(a, b int) int { return turns[a].Compare(turns[b]) })
	sorted, since := make([]agentrun.Run, len(runs)), make([]time.Time, len(runs))
	for to, from := range order {
		sorted[to], since[to] = runs[from], t.since[from]
	}
	copy(runs, sorted)
	t.since = since
}

// turnOf is the turn of a run that begins to wait.
func turnOf(now time.Time, run *agentrun.Run) time.Time {
	return now.Add(time.Duration(run.Retained()) * perByte)
}

// The processor judges up to AtOnce runs and then annotates their spans. The instruction cache of most machines has no room
// for the code of both. It takes no further run once the runs have more than bytesAtOnce bytes.
const AtOnce, bytesAtOnce = 4, 1 << 16

// Next returns the first of runs, which are judged together. While runs are left from the last slice, it is one, so that its
// time is known.
func (t *Turns) Next(runs []agentrun.Run) []agentrun.Run {
	n := 1
	for size := runs[0].Retained(); len(t.since) == 0 && n < min(len(runs), AtOnce) && size <= bytesAtOnce; n++ {
		size += runs[n].Retained()
	}
	return runs[:n]
}

// Over reports whether the slice is over.
func (t *Turns) Over() bool { return t.left <= 0 }

// Judged notes that the runs of Next were judged, and how long that took.
func (t *Turns) Judged(runs []agentrun.Run, took time.Duration) {
	t.left -= took
	if len(t.since) == 0 {
		return
	}
	t.since = t.since[len(runs):]
	t.took[runs[0].Process()] += took
}

// End ends a slice. rest are the runs that are left.
func (t *Turns) End(now time.Time, rest []agentrun.Run) {
	switch {
	case len(rest) == 0:
		*t = Turns{}
	case len(t.since) == 0:
		t.took = make(map[agentrun.Process]time.Duration)
		for i := range rest {
			t.since = append(t.since, turnOf(now, &rest[i]))
		}
	}
}

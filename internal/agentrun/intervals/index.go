package intervals

import (
	"cmp"
	"slices"
	"sort"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Interval is the time of a span. Open: what the span represents has not closed.
type Interval struct {
	agentrun.Span
	Open bool
}

// Narrower reports whether a is nested deeper than b, both containing one call.
func Narrower(a, b agentrun.Span) bool {
	if da, db := a.End-a.Start, b.End-b.Start; da != db {
		return da < db
	}
	return agentrun.CompareStart(a, b) > 0
}

// An Index finds the innermost interval in steps of the square of the logarithm of their number. Making it takes as
// many steps as sorting.
type Index struct {
	all   []Interval
	order []int // the intervals, by [agentrun.CompareStart]; places below are those in it
	// open has the open intervals. ends has, for each place in open, the latest end up to there.
	open []int
	ends []pcommon.Timestamp
	// fronts is a binary indexed tree. A front covers the last intervals up to its place: as many as the lowest bit of the
	// place says, counted from 1. It has them by end, the latest first, and leaves out an interval if one before it is at
	// least as narrow. So the last interval of a front that ends late enough is its narrowest.
	fronts [][]int
}

// NewIndex returns an index of intervals, which must not change from then on.
func NewIndex(all []Interval) *Index {
	v := &Index{all: all, order: make([]int, len(all)), fronts: make([][]int, len(all)+1)}
	for i := range v.order {
		v.order[i] = i
	}
	slices.SortStableFunc(v.order, func(a, b int) int { return agentrun.CompareStart(all[a].Span, all[b].Span) })
	var latest pcommon.Timestamp
	places := make([]int, len(all)) // from 1, the one that ends last in front
	for i, s := range v.order {
		if all[s].Open {
			latest = max(latest, all[s].End)
			v.open, v.ends = append(v.open, s), append(v.ends, latest)
		}
		places[i] = i + 1
	}
	slices.SortStableFunc(places, func(a, b int) int { // of two that end together, the lower place stays first
		return cmp.Compare(all[v.order[b-1]].End, all[v.order[a-1]].End)
	})
	for _, place := range places {
		v.enter(place)
	}
	return v
}

// enter puts the interval at a place into the fronts that cover it. All intervals in them end later.
func (v *Index) enter(place int) {
	s := v.order[place-1]
	for ; place < len(v.fronts); place += place & -place {
		front := v.fronts[place]
		if n := len(front); n == 0 || Narrower(v.all[s].Span, v.all[front[n-1]].Span) {
			v.fronts[place] = append(front, s)
		}
	}
}

// Find returns the innermost interval that contains the given span: the narrowest one, and of equal ones the first. Otherwise it
// returns the first open interval that had not ended when the span began; or none, which is -1.
func (v *Index) Find(call agentrun.Span) int {
	if inner := v.innermost(call); inner != none {
		return inner
	}
	first := sort.Search(len(v.ends), func(i int) bool { return v.ends[i] >= call.Start })
	if first == len(v.ends) {
		return none
	}
	return v.open[first]
}

// innermost returns the narrowest interval that contains the call, or none. If several are equal, it returns the first.
func (v *Index) innermost(call agentrun.Span) int {
	best := none
	begun := sort.Search(len(v.order), func(i int) bool { return v.all[v.order[i]].Start > call.Start })
	for place := begun; place > 0; place -= place & -place {
		front := v.fronts[place]
		open := sort.Search(len(front), func(i int) bool { return v.all[front[i]].End < call.End })
		if open == 0 {
			continue
		}
		// Intervals at lower places are examined later here, so an equal one is preferred.
		if s := front[open-1]; best == none || !Narrower(v.all[best].Span, v.all[s].Span) {
			best = s
		}
	}
	return best
}

// none is the index of no interval. Find returns it too, so it must stay -1.
const none = -1

package ownership

import (
	"cmp"
	"slices"
	"sort"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// timeIndex are candidates that are asked for by time. Where there are many of them, and many spans of unknown origin, they are
// put in order first.
type timeIndex struct {
	lost      int // how many spans of unknown origin there were
	intervals *intervalIndex
}

func (v *timeIndex) fallbackByTime(candidates []Candidate, call agentrun.Span, w *compare.Work) int {
	const few = 16 // so many are looked through faster than put in order
	if v.lost++; v.lost <= few || len(candidates) <= few {
		*w += compare.Work(len(candidates))
		return fallbackByTime(candidates, call)
	}
	if v.intervals == nil {
		v.intervals = newIntervalIndex(candidates)
	}
	return v.intervals.find(call)
}

// fallbackByTime returns the innermost candidate whose time contains the call. Otherwise it returns the first open candidate
// that had not ended when the call began; or none, which is -1. A closed run owns only calls in its time: a call that began
// earlier probably belongs to a run whose span has not arrived.
func fallbackByTime(candidates []Candidate, call agentrun.Span) int {
	inner, outer := -1, -1
	for i := range candidates {
		s := &candidates[i]
		if s.Contains(call) && (inner < 0 || narrower(s.Span, candidates[inner].Span)) {
			inner = i
		}
		if call.Start <= s.End && s.State != Closed && (outer < 0 || agentrun.CompareStart(s.Span, candidates[outer].Span) < 0) {
			outer = i
		}
	}
	if inner >= 0 {
		return inner
	}
	return outer
}

// narrower reports whether a is nested deeper than b, both containing one call.
func narrower(a, b agentrun.Span) bool {
	if da, db := a.End-a.Start, b.End-b.Start; da != db {
		return da < db
	}
	return agentrun.CompareStart(a, b) > 0
}

// intervalIndex finds the innermost candidate in steps of the square of the logarithm of their number. Making it takes as
// many steps as sorting.
type intervalIndex struct {
	candidates []Candidate
	order      []int // the candidates, by compareStart; places below are those in it
	// open has the candidates that have not closed. ends has, for each place in open, the latest end up to there.
	open []int
	ends []pcommon.Timestamp
	// fronts is a binary indexed tree. A front covers the last candidates up to its place: as many as the lowest bit of the
	// place says, counted from 1. It has them by end, the latest first, and leaves out a candidate if one before it is at
	// least as narrow. So the last candidate of a front that ends late enough is its narrowest.
	fronts [][]int
}

func newIntervalIndex(candidates []Candidate) *intervalIndex {
	v := &intervalIndex{
		candidates: candidates, order: make([]int, len(candidates)), fronts: make([][]int, len(candidates)+1),
	}
	for i := range v.order {
		v.order[i] = i
	}
	slices.SortStableFunc(v.order, func(a, b int) int { return agentrun.CompareStart(candidates[a].Span, candidates[b].Span) })
	var latest pcommon.Timestamp
	places := make([]int, len(candidates)) // from 1, the one that ends last in front
	for i, s := range v.order {
		if candidates[s].State != Closed {
			latest = max(latest, candidates[s].End)
			v.open, v.ends = append(v.open, s), append(v.ends, latest)
		}
		places[i] = i + 1
	}
	slices.SortStableFunc(places, func(a, b int) int { // of two that end together, the lower place stays first
		return cmp.Compare(candidates[v.order[b-1]].End, candidates[v.order[a-1]].End)
	})
	for _, place := range places {
		v.enter(place)
	}
	return v
}

// enter puts the candidate at a place into the fronts that cover it. All candidates in them end later.
func (v *intervalIndex) enter(place int) {
	s := v.order[place-1]
	for ; place < len(v.fronts); place += place & -place {
		front := v.fronts[place]
		if n := len(front); n == 0 || narrower(v.candidates[s].Span, v.candidates[front[n-1]].Span) {
			v.fronts[place] = append(front, s)
		}
	}
}

func (v *intervalIndex) find(call agentrun.Span) int {
	if inner := v.innermost(call); inner != none {
		return inner
	}
	first := sort.Search(len(v.ends), func(i int) bool { return v.ends[i] >= call.Start })
	if first == len(v.ends) {
		return none
	}
	return v.open[first]
}

// innermost returns the narrowest candidate whose time contains the call, or none. Of equal ones it returns the first.
func (v *intervalIndex) innermost(call agentrun.Span) int {
	best := none
	begun := sort.Search(len(v.order), func(i int) bool { return v.candidates[v.order[i]].Start > call.Start })
	for place := begun; place > 0; place -= place & -place {
		front := v.fronts[place]
		open := sort.Search(len(front), func(i int) bool { return v.candidates[front[i]].End < call.End })
		if open == 0 {
			continue
		}
		// Candidates at lower places are examined later here, so an equal one is preferred.
		if s := front[open-1]; best == none || !narrower(v.candidates[best].Span, v.candidates[s].Span) {
			best = s
		}
	}
	return best
}

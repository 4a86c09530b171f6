package intervals

import (
	"slices"
	"sort"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A Reach knows, for each time, which two of the intervals that had begun by then end last. Making it takes as many steps as
// sorting.
type Reach struct {
	starts []pcommon.Timestamp
	latest [][2]last // the last to end in front
}

// last is an interval and its end.
type last struct {
	interval int
	end      pcommon.Timestamp
}

// NewReach returns the reach of n spans.
func NewReach(n int, span func(int) agentrun.Span) *Reach {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return agentrun.CompareStart(span(a), span(b)) })
	r := &Reach{make([]pcommon.Timestamp, n), make([][2]last, n)}
	two := [2]last{{interval: none}, {interval: none}}
	for place, i := range order {
		s := span(i)
		switch this := (last{i, s.End}); {
		case two[0].interval == none || this.end > two[0].end:
			two = [2]last{this, two[0]}
		case two[1].interval == none || this.end > two[1].end:
			two[1] = this
		}
		r.starts[place], r.latest[place] = s.Start, two
	}
	return r
}

// OtherThan reports whether an interval, other than one of them, began until a time and ended at another time or later.
func (r *Reach) OtherThan(one int, began, ended pcommon.Timestamp) bool {
	place := sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > began })
	if place == 0 {
		return false
	}
	two := r.latest[place-1]
	other := two[0]
	if other.interval == one {
		other = two[1]
	}
	return other.interval != none && other.end >= ended
}

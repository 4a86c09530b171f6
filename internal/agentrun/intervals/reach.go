package intervals

import (
	"slices"
	"sort"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A Reach knows, for each time, which of the intervals that had begun by then end last. Making it takes as many steps as
// sorting.
type Reach struct {
	starts []pcommon.Timestamp
	latest [][maxExcept + 1]last // the last to end in front, up to each place
}

// maxExcept is how many intervals [Reach.OtherThan] can leave out.
const maxExcept = 2

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
	r := &Reach{make([]pcommon.Timestamp, n), make([][maxExcept + 1]last, n)}
	var latest [maxExcept + 1]last
	for place := range latest {
		latest[place].interval = none
	}
	for place, i := range order {
		this := last{i, span(i).End}
		for k := range latest {
			if latest[k].interval == none || this.end > latest[k].end {
				latest[k], this = this, latest[k]
			}
		}
		r.starts[place], r.latest[place] = span(i).Start, latest
	}
	return r
}

// OtherThan reports whether an interval, other than two of them at most, began until a time and ended at another time or
// later.
func (r *Reach) OtherThan(began, ended pcommon.Timestamp, except ...int) bool {
	place := sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > began })
	if place == 0 {
		return false
	}
	for _, other := range r.latest[place-1] {
		if other.interval != none && !slices.Contains(except, other.interval) {
			return other.end >= ended
		}
	}
	return false
}

package places

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// None is the place of a span that the list does not have.
const None = -1

// Index has the places of spans.
type Index struct {
	all map[pcommon.SpanID]int
	of  map[agentrun.SpanKey]int // nil if one process has a part
}

// Reset empties the index. several says whether several processes have a part.
func (x *Index) Reset(several bool) {
	if x.all == nil {
		x.all = make(map[pcommon.SpanID]int)
	}
	clear(x.all)
	x.of = nil
	if several {
		x.of = make(map[agentrun.SpanKey]int)
	}
}

// Len is how many IDs have a place.
func (x *Index) Len() int { return len(x.all) }

// Add adds a span. If another process has sent a span with its ID, before says which of two places counts for the ID alone. If
// before is nil, the last place counts.
func (x *Index) Add(span agentrun.SpanKey, place int, before func(one, another int) bool) {
	if span.ID.IsEmpty() {
		return
	}
	if first, known := x.all[span.ID]; !known || x.of == nil || before == nil || before(place, first) {
		x.all[span.ID] = place
	}
	if x.of != nil {
		x.of[span] = place
	}
}

// On returns the place of a span that a walk for a process passes, or [None]. own says that the process has sent the span
// itself.
func (x *Index) On(id pcommon.SpanID, by agentrun.Process, own bool) int {
	if x.of != nil {
		for _, process := range [...]agentrun.Process{by, 0} {
			if place, known := x.of[agentrun.SpanKey{Process: process, ID: id}]; known {
				return place
			}
		}
		if own {
			return None
		}
	}
	if place, known := x.all[id]; known {
		return place
	}
	return None
}

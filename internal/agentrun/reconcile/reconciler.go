package reconcile

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// NotFolded is the place of a call that was folded into no other: see [Reconciler.FoldSpans].
const NotFolded = none

// A Reconciler makes one call of the spans and model responses that record it. Its list is kept between traces to save the garbage.
type Reconciler struct {
	set     *agentrun.Settings
	work    *compare.Work
	compare comparer
	into    []int
	// below are calls right below one of another process: the spans of those.
	below map[agentrun.SpanKey]pcommon.SpanID
}

// New returns a Reconciler that counts its work in w.
func New(set *agentrun.Settings, w *compare.Work) Reconciler {
	return Reconciler{set: set, work: w, compare: comparer{work: w}}
}

// Release gives up what is known of the calls of a trace, and a list that a long one has made large.
func (r *Reconciler) Release() {
	const long = 1 << 12
	r.compare, r.below = comparer{work: r.work}, nil
	if len(r.into) > long {
		r.into = nil
	}
}

const (
	// none is the index of no call.
	none = -1
	// few is how many calls are compared with each other faster than hashed.
	few = 16
)

// indexOf is the first of the calls that is so, or none.
func indexOf(calls []agentrun.PendingCall, so func(*agentrun.PendingCall) bool) int {
	for i := range calls {
		if so(&calls[i]) {
			return i
		}
	}
	return none
}

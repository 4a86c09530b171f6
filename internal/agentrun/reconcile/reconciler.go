package reconcile

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
)

// NotFolded is the place of a call that was folded into no other: see [Reconciler.FoldSpans].
const NotFolded = none

// A Reconciler makes one call of the spans and model responses that record it. Its list is reused from trace to trace.
type Reconciler struct {
	set     *agentrun.Settings
	work    *compare.Work
	compare compare.Calls
	into    []int
	// below has, for calls right below a call of another process, the span of the latter.
	below map[agentrun.SpanKey]pcommon.SpanID
}

// New returns a Reconciler that counts its work in w.
func New(set *agentrun.Settings, w *compare.Work) Reconciler {
	return Reconciler{set: set, work: w, compare: compare.NewCalls(w)}
}

// SettleRepeats makes one call of the records of one span: see [copies.Settle].
func (r *Reconciler) SettleRepeats(calls []agentrun.PendingCall) (kept []agentrun.PendingCall, contradicted bool) {
	return copies.Settle(calls, &r.compare, r.work)
}

// Over reports whether payloads of the trace were not read, because they have too many values. Then no run of the trace is
// complete.
func (r *Reconciler) Over() bool { return r.compare.Over() }

// Release gives up references to the calls of a trace, and a list that a long trace made large.
func (r *Reconciler) Release() {
	const long = 1 << 12
	r.compare, r.below = compare.NewCalls(r.work), nil
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

// indexOf returns the index of the first call for which so holds, or none.
func indexOf(calls []agentrun.PendingCall, so func(*agentrun.PendingCall) bool) int {
	for i := range calls {
		if so(&calls[i]) {
			return i
		}
	}
	return none
}

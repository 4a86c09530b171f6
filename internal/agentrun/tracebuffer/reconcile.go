package tracebuffer

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// reconciler makes one call of the spans and model responses that record it. Its list is kept between traces to save the garbage.
type reconciler struct {
	set     *agentrun.Settings
	work    *compare.Work
	compare comparer
	into    []int
	// below are calls right below one of another process: the spans of those.
	below map[agentrun.SpanKey]pcommon.SpanID
}

func newReconciler(set *agentrun.Settings, w *compare.Work) reconciler {
	return reconciler{set: set, work: w, compare: comparer{work: w}}
}

// release gives up what is known of the calls of a trace, and a list that a long one has made large.
func (r *reconciler) release() {
	const long = 1 << 12
	r.compare, r.below = comparer{work: r.work}, nil
	if len(r.into) > long {
		r.into = nil
	}
}

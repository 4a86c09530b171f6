package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// shadows remember the runs of agents that closed last, so that model calls of the same process which tell of the same
// calls in other traces are known as their shadows. Without content there are no call ids to know them by: what is left
// is the process, the time and the names.
type shadows struct {
	runs []outline
	next int // the oldest, once there are maxOutlines
}

// outline is a run without its contents.
type outline struct {
	process pcommon.Map
	span    Span
	calls   []outlined
}

type outlined struct {
	name  string
	start pcommon.Timestamp
}

const (
	maxOutlines = 1024
	// maxOutlined is how many calls a run may have that is remembered.
	maxOutlined = 64
	// slack is how far the clocks of two instrumentations in one process may be apart: JavaScript's tick in milliseconds.
	slack = pcommon.Timestamp(2 * time.Millisecond)
)

func (s *shadows) remember(r *Run) {
	if len(r.Calls) == 0 || len(r.Calls) > maxOutlined || r.Anchors[0].Origin == nil {
		return
	}
	o := outline{process: pcommon.NewMap(), span: r.span()}
	r.Anchors[0].Origin.Resource.Resource().Attributes().CopyTo(o.process)
	for i := range r.Calls {
		o.calls = append(o.calls, outlined{folded(r.Calls[i].Name), r.Calls[i].Start})
	}
	if len(s.runs) < maxOutlines {
		s.runs = append(s.runs, o)
		return
	}
	s.runs[s.next] = o
	s.next = (s.next + 1) % maxOutlines
}

// of reports whether exactly one remembered run can be what casts r: model calls in the same process and within the
// run's time asked for the same tools in the same order, each before the agent called it.
func (s *shadows) of(r *Run, steps []Run) bool {
	if len(r.Anchors) == 0 || r.Anchors[0].Origin == nil {
		return false
	}
	process := r.Anchors[0].Origin.Resource.Resource().Attributes()
	casting := 0
	for i := range s.runs {
		if s.runs[i].casts(r.Calls) && s.runs[i].around(steps) && s.runs[i].process.Equal(process) {
			casting++
		}
	}
	return casting == 1
}

func (o *outline) casts(calls []Call) bool {
	return slices.EqualFunc(o.calls, calls, func(made outlined, asked Call) bool {
		return asked.Start <= made.start+slack && made.name == folded(asked.Name)
	})
}

func (o *outline) around(steps []Run) bool {
	for i := range steps {
		if s := steps[i].span(); s.Start+slack < o.span.Start || s.End > o.span.End+slack {
			return false
		}
	}
	return true
}

package runs

import (
	"regexp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// Some instrumentations record more agent spans than there are runs: a workflow's around its agents, a runner's method around its
// agent, a controller's around a service. Or they record an empty span beside the one that has the work below it. Such a span has no
// call of a tool or a model of its own, and represents no run.
//
// An agent that only delegates has none either, if its model calls are not recorded. So where a trace has no model calls at all, a span
// with an agent's name of its own is a run. The name of a method is none.

// findWrappers marks the runs that close now and represent nothing. A nameless agent's run that closes gets the name of the agent's
// span that wraps it. If calls of a run may be missing, it is no wrapper.
func (t *tree) findWrappers() {
	if len(t.runs) < 2 {
		return
	}
	t.lookInside()
	for i, r := range each(t.runs) {
		if r.state != ready {
			continue
		}
		if up := t.around(int32(i)); r.Kind == evidence.Agent && r.Agent == "" && !r.inferred && up != none && t.wraps(&t.runs[up]) {
			r.wrapped = t.runs[up].Agent
		}
		represents := !t.wraps(r) && (!r.isIdle() || r.inside.below || !t.isBeside(r))
		if represents || r.ClosedBy == evidence.ByLimit || t.in.Cut > 0 {
			continue
		}
		r.wrapper = t.x.UnderWay == nil || !t.x.UnderWay(&r.Span)
		r.doubts |= doubtIf(!r.wrapper, Restarted)
	}
}

// isIdle reports whether a run is that of an agent's span, and nothing belongs to it. The messages on the span may be those of a run inside.
func (r *run) isIdle() bool {
	return !r.cut && r.Kind == evidence.Agent && !r.inferred && !r.ID.IsEmpty() && len(r.calls) == 0 &&
		!slices.ContainsFunc(r.responses, func(a *evidence.Fact) bool { return !a.Response.IsTranscript() })
}

// wraps reports whether a run without calls only wraps those inside of it.
func (t *tree) wraps(r *run) bool {
	in := r.inside
	return r.isIdle() && !in.calls && in.runs && !in.apart && (t.models || r.Agent == "" || method.MatchString(r.Agent) || !in.others)
}

// method is the name of a class and its method, such as AgentRunner.run: no agent has such a name.
var method = regexp.MustCompile(`^[A-Z][0-9A-Z_a-z]*\.[a-z][0-9A-Z_a-z]*$`)

// mayRecord reports whether two spans of agents may record one run: different instrumentations or processes wrote them.
func (r *run) mayRecord(o *run) bool { return r.Process != o.Process || r.Scope.MayDiffer(o.Scope) }

// isAround reports whether the run of an agent is in the time of another one. In a cycle of parents that took the same time, the
// last one is around nothing.
func isAround(r, in *run) bool {
	return in.Kind == evidence.Agent && r.Contains(&in.Span) && (r.Start < in.Start || in.End < r.End || evidence.CompareSpans(&r.Span, &in.Span) < 0)
}

// insideOf says what is right inside of a run: whether there are runs, whether one is of another agent or goes on for longer, whether
// there are calls of tools or models, and whether any span is below it.
type insideOf struct{ runs, others, apart, calls, below bool }

// isBeside reports whether an empty span of an agent is another record of a run below the same span.
func (t *tree) isBeside(r *run) bool {
	if r.Agent == "" || r.Parent.IsEmpty() || len(t.runs) > maxClosed { // of so many runs none is compared with all
		return false
	}
	return slices.ContainsFunc(t.runsOf(r.Agent), func(i int32) bool {
		o := &t.runs[i]
		return o.Parent == r.Parent && isAround(r, o) && (t.models || r.mayRecord(o))
	})
}

func (t *tree) lookInside() {
	for i, in := range each(t.runs) {
		if up := t.around(int32(i)); up != none {
			r := &t.runs[up]
			r.inside.runs = true
			r.inside.others = r.inside.others || in.inferred || in.Agent != "" && (!toolname.Same(r.Agent, in.Agent) || !r.mayRecord(in))
			r.inside.apart = r.inside.apart || !isAround(r, in)
		}
	}
	for _, n := range each(t.nodes) {
		if n.up >= 0 && t.nodes[n.up].run != none {
			t.runs[t.nodes[n.up].run].inside.below = true
		}
		if of := t.above(n.up).run; of != none && (n.model || n.call != none) {
			t.runs[of].inside.calls = true
		}
	}
}

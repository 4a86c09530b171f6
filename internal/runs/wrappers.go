package runs

import (
	"cmp"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// Some instrumentations record more agent spans than there are runs. They wrap the agent's span in a nameless one, or a nameless
// one in a span with the agent's name. Or they record the agent's span twice, or an empty one beside the span that has the work
// below it. Such a span has no calls of its own, and represents no run.

// findWrappers marks the runs that close now and represent nothing. A nameless agent's run that closes gets the name of the agent's
// span that wraps it. If calls of a run may be missing, it is no wrapper.
func (t *tree) findWrappers() (wrapper []bool) {
	wrapper = make([]bool, len(t.runs))
	if len(t.runs) < 2 || !slices.ContainsFunc(t.runs, func(r run) bool { return r.mayWrap() || r.lacksName() }) {
		return wrapper
	}
	inside := t.insides()
	var doubled map[int32]bool
	for i := range t.runs {
		r := &t.runs[i]
		if r.lacksName() {
			if up := inside[i].around; up != none && inside[up].runs == 1 && names(&t.runs[up], r) {
				r.agent = t.runs[up].agent
			}
		}
		if !r.mayWrap() || r.closedBy == byLimit || t.in.Cut > 0 {
			continue
		}
		if in := inside[i]; in.runs == 1 {
			wrapper[i] = wraps(r, &t.runs[in.only]) || names(r, &t.runs[in.only])
		} else if in.runs == 0 && r.agent != "" && !r.Parent.IsEmpty() {
			if doubled == nil {
				doubled = t.doubled()
			}
			wrapper[i] = doubled[int32(i)] && !t.hasChild(r.node)
		}
	}
	return wrapper
}

// lacksName reports whether the run is of an agent's span, closes now, and the agent's name is not known.
func (r *run) lacksName() bool { return r.state == ready && r.kind == agentKind && r.agent == "" }

// mayWrap reports whether the run closes now, and nothing belongs to it.
func (r *run) mayWrap() bool { return r.state == ready && r.isIdle() }

// isIdle reports whether a run is that of an agent's span, and nothing belongs to it.
func (r *run) isIdle() bool {
	return !r.cut && r.kind == agentKind && !r.inferred && !r.ID.IsEmpty() && len(r.calls)+len(r.responses) == 0
}

// wraps reports whether a run without calls is around a run of the same agent, or has no name.
func wraps(r, in *run) bool {
	return isAround(r, in) && (r.agent == "" || toolname.Same(r.agent, in.agent) && in.agent != "")
}

// names reports whether a run without calls has the name of the nameless agent inside of it.
func names(r, in *run) bool {
	return r.isIdle() && r.agent != "" && in.agent == "" && !in.inferred && isAround(r, in)
}

// isAround reports whether the run of an agent is in the time of another one. In a cycle of parents that took the same time, the
// last one is around nothing.
func isAround(r, in *run) bool {
	around := r.Contains(&in.Span) && (r.Start < in.Start || in.End < r.End || evidence.CompareSpans(&r.Span, &in.Span) < 0)
	return around && in.kind == agentKind
}

// insideOf says how many runs are right inside of a run, one of them, and the run around it.
type insideOf struct {
	runs         int
	only, around int32
}

func (t *tree) insides() []insideOf {
	all := make([]insideOf, len(t.runs))
	for i := range t.runs {
		all[i].around = t.around(int32(i))
		if up := all[i].around; up != none {
			all[up].runs, all[up].only = all[up].runs+1, int32(i)
		}
	}
	return all
}

// doubled has the runs whose time contains that of another run of the same agent below the same span: those that end no earlier
// than one that began later or together. If two took the same time, one stays.
func (t *tree) doubled() map[int32]bool {
	type siblings struct {
		parent pcommon.SpanID
		agent  string
	}
	all := make(map[siblings][]int32)
	for i := range t.runs {
		if r := &t.runs[i]; r.agent != "" {
			key := siblings{r.Parent, toolname.Key(r.agent)}
			all[key] = append(all[key], int32(i))
		}
	}
	found := make(map[int32]bool)
	for _, group := range all {
		slices.SortFunc(group, func(a, b int32) int {
			x, y := &t.runs[a], &t.runs[b]
			return cmp.Or(cmp.Compare(y.Start, x.Start), evidence.CompareSpans(&x.Span, &y.Span))
		})
		firstEnd := pcommon.Timestamp(math.MaxUint64)
		for _, i := range group {
			if end := t.runs[i].End; end < firstEnd {
				firstEnd = end
			} else {
				found[i] = true
			}
		}
	}
	return found
}

// hasChild reports whether a span is right below a node.
func (t *tree) hasChild(at int32) bool {
	return slices.ContainsFunc(t.nodes, func(n node) bool { return n.up == at })
}

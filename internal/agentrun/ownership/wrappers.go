package ownership

import (
	"cmp"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// Some instrumentations record more agent spans than there are runs. They wrap the agent's span in a nameless one, or a
// nameless one in a span with the agent's name. Or they record the agent's span twice, or an empty one beside the span that
// has the work below it. Such a span has no calls of its own, and represents no run. Only spans of its own process make it a
// wrapper: a service that an agent calls takes no verdict away.

// Wrappers says which ready candidates represent no run. A nameless agent's run that is ready gets the name of the agent's
// span that wraps it. If isCut says that calls of a candidate may be missing, the candidate represents a run.
func (r *Resolver) Wrappers(isCut func(*Candidate) bool) map[int]bool {
	if len(r.candidates) < 2 {
		return nil
	}
	var found map[int]bool
	var inside []insideOf
	var leaves leafFinder
	for i := range r.candidates {
		s := &r.candidates[i]
		if !s.mayWrap() && !s.lacksName() {
			continue
		}
		if inside == nil {
			inside = r.insides()
			leaves = leafFinder{Resolver: r}
		}
		if s.lacksName() {
			r.inheritName(i, inside)
		}
		if s.mayWrap() && !isCut(s) && (s.wrapsOne(r.candidates, inside[i]) || inside[i].runs == 0 && leaves.isEmpty(i)) {
			if found == nil {
				found = make(map[int]bool)
			}
			found[i] = true
		}
	}
	return found
}

// lacksName reports whether a candidate is an agent's span that is ready, and the agent's name is not known.
func (s *Candidate) lacksName() bool {
	return s.State == Ready && s.Kind == agentrun.Agent && s.AgentHash == 0
}

// inheritName gives a nameless agent's run the name of the agent's span that wraps it.
func (r *Resolver) inheritName(i int, inside []insideOf) {
	up := inside[i].around
	if up == none || inside[up].runs != 1 || !r.candidates[up].names(&r.candidates[i]) {
		return
	}
	for a := range r.candidates[i].Anchors {
		r.candidates[i].Anchors[a].Agent = r.candidates[up].Agent
	}
}

// mayWrap reports whether a candidate is ready, and nothing belongs to it.
func (s *Candidate) mayWrap() bool {
	return s.State == Ready && s.isIdle()
}

// isIdle reports whether a candidate is an agent's span, and nothing belongs to it.
func (s *Candidate) isIdle() bool {
	return !s.Truncated && s.Kind == agentrun.Agent && !s.Inferred && !s.ID.IsEmpty() && len(s.Calls)+len(s.Responses) == 0
}

// wrapsOne reports whether a candidate without calls is a wrapper of the only run inside of it. Several runs inside may be
// those of other agents.
func (s *Candidate) wrapsOne(candidates []Candidate, in insideOf) bool {
	return in.runs == 1 && (s.wraps(&candidates[in.only]) || s.names(&candidates[in.only]))
}

// wraps reports whether a candidate without calls is around a run of the same agent, or has no name.
func (s *Candidate) wraps(run *Candidate) bool {
	return s.isAround(run) && (s.AgentHash == 0 || s.AgentHash == run.AgentHash)
}

// names reports whether a candidate without calls has the name of the nameless agent inside of it.
func (s *Candidate) names(run *Candidate) bool {
	return s.isIdle() && s.AgentHash != 0 && run.AgentHash == 0 && !run.Inferred && s.isAround(run)
}

// isAround reports whether the run of an agent of the same process is in the time of a candidate. In a cycle of parents that
// took the same time, the last one is around nothing.
func (s *Candidate) isAround(run *Candidate) bool {
	around := s.Contains(run.Span) && (s.Start < run.Start || run.End < s.End || agentrun.CompareSpans(s.Span, run.Span) < 0)
	return around && run.Kind == agentrun.Agent && run.Process == s.Process
}

// insideOf says how many runs are right inside of a candidate, one of them, and the candidate around it.
type insideOf struct{ runs, only, around int }

// insides counts for each candidate the runs that are right inside of it.
func (r *Resolver) insides() []insideOf {
	all := make([]insideOf, len(r.candidates))
	*r.work += compare.Work(len(r.candidates))
	for i := range r.candidates {
		all[i].around = r.around(i)
		if up := all[i].around; up != none {
			all[up].runs, all[up].only = all[up].runs+1, i
		}
	}
	return all
}

// siblings are the spans of one agent and one process that are below the same span.
type siblings struct {
	parent  pcommon.SpanID
	process agentrun.Process
	agent   uint32
}

// leafFinder finds empty leaves. It looks at the candidates and links once, for the first span that may be one.
type leafFinder struct {
	*Resolver
	// doubled has the candidates whose time contains that of a sibling. hasChild has the spans with a span below them.
	doubled  map[int]bool
	hasChild map[pcommon.SpanID]bool
}

// isEmpty reports whether no span is below a candidate, and another span of the same agent is beside it, in its time.
func (f *leafFinder) isEmpty(i int) bool {
	s := &f.candidates[i]
	if s.AgentHash == 0 || s.Parent.IsEmpty() {
		return false
	}
	if f.doubled == nil {
		f.compareSiblings()
	}
	return f.doubled[i] && !f.hasChildren(s.ID)
}

// compareSiblings finds the candidates that contain a sibling: those that end no earlier than one that began later or
// together. If two took the same time, one stays.
func (f *leafFinder) compareSiblings() {
	f.doubled = make(map[int]bool)
	*f.work += compare.Work(len(f.candidates))
	groups := make(map[siblings][]int)
	for i := range f.candidates {
		if s := &f.candidates[i]; s.AgentHash != 0 {
			key := siblings{s.Parent, s.Process, s.AgentHash}
			groups[key] = append(groups[key], i)
		}
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b int) int {
			x, y := &f.candidates[a], &f.candidates[b]
			return cmp.Or(cmp.Compare(y.Start, x.Start), agentrun.CompareSpans(x.Span, y.Span))
		})
		firstEnd := pcommon.Timestamp(math.MaxUint64)
		for _, i := range group {
			if end := f.candidates[i].End; end < firstEnd {
				firstEnd = end
			} else {
				f.doubled[i] = true
			}
		}
	}
}

// hasChildren reports whether a span of the trace is right below the given one.
func (f *leafFinder) hasChildren(id pcommon.SpanID) bool {
	if f.hasChild == nil {
		f.hasChild = f.parents.WithChildren(f.work)
	}
	return f.hasChild[id]
}

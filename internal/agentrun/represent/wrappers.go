package represent

import (
	"cmp"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
)

// Examined is a trace whose calls and responses were given to its candidates.
type Examined struct {
	Resolver   *ownership.Resolver // must have begun with the candidates
	Candidates []ownership.Candidate
	Links      *parents.Table
	Work       *compare.Work
}

// Wrappers says which ready candidates represent no run. A nameless agent's run that is ready gets the name of the agent's
// span that wraps it. If mayLackCalls says that calls of a candidate may be missing, the candidate represents a run.
func Wrappers(x Examined, mayLackCalls func(*ownership.Candidate) bool) map[int]bool {
	if len(x.Candidates) < 2 {
		return nil
	}
	var found map[int]bool
	var inside []insideOf
	var leaves leafFinder
	for i := range x.Candidates {
		s := &x.Candidates[i]
		if !mayWrap(s) && !lacksName(s) {
			continue
		}
		if inside == nil {
			inside = x.insides()
			leaves = leafFinder{Examined: &x}
		}
		if lacksName(s) {
			x.inheritName(i, inside)
		}
		if mayWrap(s) && !mayLackCalls(s) && (wrapsOne(s, x.Candidates, inside[i]) || inside[i].runs == 0 && leaves.isEmpty(i)) {
			if found == nil {
				found = make(map[int]bool)
			}
			found[i] = true
		}
	}
	return found
}

// lacksName reports whether a candidate is an agent's span that is ready, and the agent's name is not known.
func lacksName(s *ownership.Candidate) bool {
	return s.State == ownership.Ready && s.Kind == agentrun.Agent && s.AgentHash == 0
}

// inheritName gives a nameless agent's run the name of the agent's span that wraps it.
func (x *Examined) inheritName(i int, inside []insideOf) {
	up := inside[i].around
	if up < 0 || inside[up].runs != 1 {
		return
	}
	*x.Work += compare.Work(len(x.Candidates[up].Calls) + len(x.Candidates[up].Responses))
	if !names(&x.Candidates[up], &x.Candidates[i]) {
		return
	}
	for a := range x.Candidates[i].Anchors {
		x.Candidates[i].Anchors[a].Agent = x.Candidates[up].Agent
	}
}

// mayWrap reports whether a candidate is ready, and nothing belongs to it.
func mayWrap(s *ownership.Candidate) bool {
	return s.State == ownership.Ready && len(s.Calls)+len(s.Responses) == 0 && isIdle(s)
}

// isIdle reports whether a candidate is an agent's span, and nothing of its own process belongs to it.
func isIdle(s *ownership.Candidate) bool {
	return !s.Truncated && s.Kind == agentrun.Agent && !s.Inferred && !s.ID.IsEmpty() &&
		!slices.ContainsFunc(s.Calls, func(c agentrun.PendingCall) bool { return !c.Process.DiffersFrom(s.Process) }) &&
		!slices.ContainsFunc(s.Responses, func(a agentrun.ModelResponse) bool { return !a.Process.DiffersFrom(s.Process) })
}

// wrapsOne reports whether a candidate without calls is a wrapper of the only run inside of it. Several runs inside may be
// those of other agents.
func wrapsOne(s *ownership.Candidate, candidates []ownership.Candidate, in insideOf) bool {
	return in.runs == 1 && (wraps(s, &candidates[in.only]) || names(s, &candidates[in.only]))
}

// wraps reports whether a candidate without calls is around a run of the same agent, or has no name.
func wraps(s, run *ownership.Candidate) bool {
	return isAround(s, run) && (s.AgentHash == 0 || s.AgentHash == run.AgentHash)
}

// names reports whether a candidate without calls has the name of the nameless agent inside of it.
func names(s, run *ownership.Candidate) bool {
	return isIdle(s) && s.AgentHash != 0 && run.AgentHash == 0 && !run.Inferred && isAround(s, run)
}

// isAround reports whether the run of an agent of the same process is in the time of a candidate. In a cycle of parents that
// took the same time, the last one is around nothing.
func isAround(s, run *ownership.Candidate) bool {
	around := s.Contains(run.Span) && (s.Start < run.Start || run.End < s.End || agentrun.CompareSpans(s.Span, run.Span) < 0)
	return around && run.Kind == agentrun.Agent && run.Process == s.Process
}

// insideOf says how many runs are right inside of a candidate, one of them, and the candidate around it.
type insideOf struct{ runs, only, around int }

// insides counts for each candidate the runs of its process that are right inside of it.
func (x *Examined) insides() []insideOf {
	all := make([]insideOf, len(x.Candidates))
	*x.Work += compare.Work(len(x.Candidates))
	for i := range x.Candidates {
		all[i].around = x.Resolver.Around(i)
		if lacksName(&x.Candidates[i]) {
			x.Resolver.NoteInside(i)
		}
		if up := all[i].around; up >= 0 && !x.Candidates[up].Process.DiffersFrom(x.Candidates[i].Process) {
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
	*Examined
	// doubled has the candidates whose time contains that of a sibling. hasChild has the spans with a span below them.
	doubled  map[int]bool
	hasChild map[agentrun.SpanKey]bool
}

// isEmpty reports whether no span of its process is below a candidate, and another span of the same agent is beside it, in its time.
func (f *leafFinder) isEmpty(i int) bool {
	s := &f.Candidates[i]
	if s.AgentHash == 0 || s.Parent.IsEmpty() {
		return false
	}
	if f.doubled == nil {
		f.compareSiblings()
	}
	return f.doubled[i] && !f.hasChildren(s.Key())
}

// compareSiblings finds the candidates that contain a sibling: those that end no earlier than one that began later or
// together. If two took the same time, one stays.
func (f *leafFinder) compareSiblings() {
	f.doubled = make(map[int]bool)
	*f.Work += compare.Work(len(f.Candidates))
	groups := make(map[siblings][]int)
	for i := range f.Candidates {
		if s := &f.Candidates[i]; s.AgentHash != 0 {
			key := siblings{s.Parent, s.Process, s.AgentHash}
			groups[key] = append(groups[key], i)
		}
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b int) int {
			x, y := &f.Candidates[a], &f.Candidates[b]
			return cmp.Or(cmp.Compare(y.Start, x.Start), agentrun.CompareSpans(x.Span, y.Span))
		})
		firstEnd := pcommon.Timestamp(math.MaxUint64)
		for _, i := range group {
			if end := f.Candidates[i].End; end < firstEnd {
				firstEnd = end
			} else {
				f.doubled[i] = true
			}
		}
	}
}

// hasChildren reports whether a span of its process is right below the given one.
func (f *leafFinder) hasChildren(span agentrun.SpanKey) bool {
	if f.hasChild == nil {
		f.hasChild = f.Links.WithChildren(f.Work)
	}
	return f.hasChild[span]
}

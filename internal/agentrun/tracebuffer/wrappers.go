package tracebuffer

import (
	"cmp"
	"hash/fnv"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Some instrumentations write more agents' spans than there are runs: a nameless one around the agent's, the agent's span
// twice, or an empty one beside the span below which the work is. Such a span has no calls of its own, and represents no
// run. Only spans of its own process make it a wrapper: a service that an agent calls takes no verdict away.

// wrappers says which of the candidates that are ready represent no run.
func (r *resolver) wrappers(t *trace, candidates []candidate) map[int]bool {
	if len(candidates) < 2 {
		return nil
	}
	var found map[int]bool
	var inside []insideOf
	for i := range candidates {
		if !candidates[i].mayWrap() || t.isCut(&candidates[i]) {
			continue
		}
		if inside == nil {
			inside = r.insides(candidates)
		}
		in := inside[i]
		if in.runs == 1 && candidates[i].wraps(&candidates[in.only]) || in.runs == 0 && r.isEmptyLeaf(t, candidates, i) {
			if found == nil {
				found = make(map[int]bool)
			}
			found[i] = true
		}
	}
	return found
}

// mayWrap reports whether a candidate is ready, and nothing belongs to it.
func (s *candidate) mayWrap() bool {
	return s.state == stateReady && !s.truncated && s.kind == agentrun.Agent && !s.inferred && !s.ID.IsEmpty() && len(s.calls)+len(s.responses) == 0
}

// wraps reports whether a candidate that has no calls is a wrapper of the only run inside of it. Of a cycle of parents that
// took the same time, the last one wraps nothing.
func (s *candidate) wraps(run *candidate) bool {
	around := s.Contains(run.Span) && (s.Start < run.Start || run.End < s.End || agentrun.CompareSpans(s.Span, run.Span) < 0)
	return around && run.kind == agentrun.Agent && run.Process == s.Process && (s.agent == 0 || s.agent == run.agent)
}

// insideOf is how many runs are right inside of a candidate, and one of them.
type insideOf struct{ runs, only int }

// insides counts for each candidate the runs that are right inside of it.
func (r *resolver) insides(candidates []candidate) []insideOf {
	all := make([]insideOf, len(candidates))
	r.work += work(len(candidates))
	for i := range candidates {
		if up := r.around(candidates, i); up != none {
			all[up] = insideOf{all[up].runs + 1, i}
		}
	}
	return all
}

// isEmptyLeaf reports whether no span is below a candidate, and the span of the same agent stands beside it, in its time.
func (r *resolver) isEmptyLeaf(t *trace, candidates []candidate, i int) bool {
	s := &candidates[i]
	if s.agent == 0 || s.Parent.IsEmpty() {
		return false
	}
	r.work += work(len(candidates))
	for j := range candidates {
		o := &candidates[j]
		if j != i && o.Parent == s.Parent && o.Process == s.Process && o.agent == s.agent && s.Contains(o.Span) {
			return !r.hasChildren(t, s.ID)
		}
	}
	return false
}

// hasChildren reports whether a span of the trace is right below that one.
func (r *resolver) hasChildren(t *trace, id pcommon.SpanID) bool {
	r.work += work(t.linkCount())
	for i := range t.links {
		if t.links[i].parent == id {
			return true
		}
	}
	for _, e := range t.index {
		if e.parent == id {
			return true
		}
	}
	return false
}

// hashOfName is a hash of an agent's name, whatever its case and separators. It is 0 for no name.
func hashOfName(name string) uint32 {
	if name == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(toolKey(name)))
	return cmp.Or(h.Sum32(), 1)
}

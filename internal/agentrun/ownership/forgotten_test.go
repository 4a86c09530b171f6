package ownership

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// While links are forgotten, a link that only another process has sent proves nothing.
func TestForgedLinks(t *testing.T) {
	a, b, c := sent(1, 'a', 0, 0, 20), sent(1, 'b', 'a', 2, 15), sent(1, 'c', 0, 30, 40)
	for _, tc := range []struct {
		name     string
		link     agentrun.Span // of the span m, which is the parent of the call
		unlinked pcommon.Timestamp
		agents   []agentrun.Span
		owner    int
		want     bool
		reason   string
	}{
		{"to another agent", sent(2, 'm', 'b', 3, 9), 9, []agentrun.Span{a, b}, 1, true, "the call's own link may lead to a"},
		{"to no agent", sent(2, 'm', 'y', 3, 9), 9, []agentrun.Span{a, b}, 1, true, "likewise"},
		{"to the root", sent(2, 'm', 0, 3, 9), 9, []agentrun.Span{a, b}, 1, true, "likewise"},
		{"of the call's own process", sent(1, 'm', 'b', 3, 9), 9, []agentrun.Span{a, b}, 1, false, "the link is known"},
		{"nothing is forgotten", sent(2, 'm', 'b', 3, 9), 0, []agentrun.Span{a, b}, 1, false, "the call's process has sent no such span"},
		{"one agent", sent(2, 'm', 'a', 3, 9), 9, []agentrun.Span{a}, 0, false, "no link leads elsewhere"},
		{"an agent that began later", sent(2, 'm', 'a', 3, 9), 9, []agentrun.Span{a, c}, 0, false, "the span cannot be below it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var links parents.Table
			var w compare.Work
			var candidates []Candidate
			for _, s := range append(tc.agents, tc.link) {
				links.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, &w)
			}
			for _, s := range tc.agents {
				candidates = append(candidates, Candidate{Span: s, Kind: agentrun.Agent})
			}
			r := NewResolver(&agentrun.Settings{MaxCalls: 100}, nil, &w)
			r.Begin(Examined{Parents: &links, Candidates: candidates, Unlinked: tc.unlinked})
			r.DecideStates()
			require.Equal(t, tc.owner, r.OwnerOf(sent(1, 'x', 'm', 4, 5)))
			require.Equal(t, tc.want, r.Uncertain, tc.reason)
		})
	}
}

// The same for a run of which the calls count for the runs around it too.
func TestForgedLinksOfAnInnerRun(t *testing.T) {
	outer, third := sent(1, 'a', 0, 0, 20), sent(1, 'c', 0, 1, 18)
	other := sent(2, 'a', 0, 0, 20) // the outer run, of another process
	inner := sent(1, 'b', 'm', 2, 15)
	for _, tc := range []struct {
		name   string
		agents []agentrun.Span // the inner one last
		link   agentrun.Process
		around int
		want   bool
		reason string
	}{
		{"their own link", []agentrun.Span{outer, third, inner}, 1, 0, false, "the link is known"},
		{"a link of another process", []agentrun.Span{outer, inner}, 2, none, true, "only that process says so"},
		{"the outer one's link", []agentrun.Span{other, third, inner}, 2, 0, false, "a process says what is below its run"},
		{"a link of a third process", []agentrun.Span{other, third, inner}, 3, 0, true, "the lost link may lead to c"},
		{"a link of a third process, two runs", []agentrun.Span{other, inner}, 3, 0, false, "the run can be below no other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var links parents.Table
			var w compare.Work
			var candidates []Candidate
			for _, s := range append(tc.agents, sent(tc.link, 'm', 'a', 1, 19)) {
				links.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, &w)
			}
			for _, s := range tc.agents {
				candidates = append(candidates, Candidate{Span: s, Kind: agentrun.Agent})
			}
			r := NewResolver(&agentrun.Settings{MaxCalls: 100, Include: true}, nil, &w)
			r.Begin(Examined{Parents: &links, Candidates: candidates, Unlinked: 9})
			require.Equal(t, tc.around, r.Around(len(candidates)-1), tc.reason)
			require.Equal(t, tc.want, r.Uncertain, tc.reason)
		})
	}
}

// Walks take a bounded number of steps together. What is beyond is uncertain.
func TestWalksAreBounded(t *testing.T) {
	var links parents.Table
	var w compare.Work
	const n = 1_000
	span := func(i int) agentrun.Span {
		return agentrun.Span{ID: runtest.SpanOf('c', i), Parent: runtest.SpanOf('c', i-1), Process: agentrun.Process(i + 1)}
	}
	for i := range n {
		s := span(i)
		links.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, &w)
	}
	r := NewResolver(&agentrun.Settings{}, nil, &w)
	r.Begin(Examined{Parents: &links})
	before := w
	for i := range n / 100 {
		r.OwnerOf(span(i))
	}
	require.False(t, r.Uncertain)
	for i := range n {
		r.OwnerOf(span(i))
	}
	require.True(t, r.Uncertain)
	require.LessOrEqual(t, w-before, compare.Work(links.Steps()+4*n))
}

// What is known of a chain of parents is the same from whichever span of it one asks first.
func TestChainsAreTheSameInAnyOrder(t *testing.T) {
	m, n := sent(2, 'm', 'n', 0, 9), sent(1, 'n', 0, 0, 9)
	x, y := sent(1, 'x', 'm', 1, 2), sent(1, 'y', 'n', 1, 2)
	for _, order := range [][]agentrun.Span{{x, y}, {y, x}} {
		var links parents.Table
		var w compare.Work
		for _, s := range []agentrun.Span{m, n} {
			links.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, &w)
		}
		r := NewResolver(&agentrun.Settings{}, nil, &w)
		r.Begin(Examined{Parents: &links})
		found := map[pcommon.SpanID]chain{}
		for _, s := range order {
			found[s.ID] = r.chainAbove(s)
		}
		require.Equal(t, map[pcommon.SpanID]chain{x.ID: {foreign: true}, y.ID: {}}, found)
	}
}

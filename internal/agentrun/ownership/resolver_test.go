package ownership

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
)

// sent is a span of a process, named by letters: its own, and its parent's if that is known.
func sent(by agentrun.Process, id, parent byte, start, end pcommon.Timestamp) agentrun.Span {
	s := agentrun.Span{ID: pcommon.SpanID{id}, Start: start, End: end, Process: by}
	if parent != 0 {
		s.Parent = pcommon.SpanID{parent}
	}
	return s
}

// resolverOf is a Resolver that examines runs and calls. The links are those of all of them.
func resolverOf(set agentrun.Settings, mayStillArrive bool, candidates []Candidate, calls ...agentrun.Span) *Resolver {
	var links parents.Table
	var w compare.Work
	pending := make([]agentrun.PendingCall, len(calls))
	for i, s := range calls {
		pending[i] = agentrun.PendingCall{ID: s.ID, Parent: s.Parent, Start: s.Start, End: s.End, Process: s.Process}
	}
	links.AddCalls(pending, &w)
	for i := range candidates {
		s := &candidates[i]
		links.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, &w)
	}
	set.MaxCalls = 100
	r := NewResolver(&set, nil, &w)
	r.Begin(Examined{Parents: &links, Candidates: candidates, Calls: pending, Received: len(calls), MayStillArrive: mayStillArrive})
	r.DecideStates()
	return &r
}

func TestWhoOwnsACall(t *testing.T) {
	agent := func(s agentrun.Span, state State) Candidate {
		return Candidate{Span: s, Kind: agentrun.Agent, State: state}
	}
	outer, inner := sent(1, 'a', 0, 0, 9), sent(1, 'b', 'a', 2, 5)
	for _, tc := range []struct {
		name           string
		call           agentrun.Span
		mayStillArrive bool
		state          State // of the inner run
		want           int   // 0 is the outer run, 1 the inner one
		reason         string
	}{
		{"below the inner run", sent(1, 'x', 'b', 7, 8), false, Ready, 1, "the nearest agent owns it, whatever the times"},
		{"below the outer run", sent(1, 'x', 'a', 3, 4), false, Ready, 0, "the inner run has the time, and the outer one is the parent"},
		{"of unknown origin", sent(1, 'x', 0, 3, 4), false, Ready, 1, "the innermost run contains it"},
		{"of unknown origin, longer", sent(1, 'x', 0, 3, 6), false, Ready, 0, "only the outer run contains it"},
		{"of unknown origin, contained by none", sent(1, 'x', 0, 8, 12), false, Ready, 0, "the outer run had not ended when it began"},
		{"after all runs", sent(1, 'x', 0, 20, 21), false, Ready, none, "every run had ended when it began"},
		{"below a span that has not come", sent(1, 'x', 'z', 3, 4), true, Ready, 1, "the chain above the inner run is complete"},
		{"in the time of a closed run", sent(1, 'x', 0, 3, 4), false, Closed, 1, "a closed run owns the calls in its time, which are late"},
		{"below its own", sent(1, 'x', 'x', 3, 4), false, Ready, 1, "a cycle of parents has no ancestors, so the time decides"},
		{"of another process, of unknown origin", sent(2, 'x', 0, 3, 4), false, Ready, 1, "no run of its own process is known"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := resolverOf(agentrun.Settings{}, tc.mayStillArrive, []Candidate{agent(outer, Ready), agent(inner, tc.state)}, tc.call)
			require.Equal(t, tc.want, r.OwnerOf(tc.call), tc.reason)
		})
	}
}

// While a span above may still come, a call of unknown origin waits if that span could be above the run as well.
func TestACallWaitsWhileItsChainIsIncomplete(t *testing.T) {
	call := sent(1, 'x', 'z', 3, 4)
	stranger := []Candidate{{Span: sent(1, 'b', 'y', 2, 5), Kind: agentrun.Agent}}
	require.Equal(t, none, resolverOf(agentrun.Settings{}, true, stranger, call).OwnerOf(call))
	require.Equal(t, 0, resolverOf(agentrun.Settings{}, false, stranger, call).OwnerOf(call), "nothing comes any more, so the time decides")
}

func TestWhoTakesACall(t *testing.T) {
	call := sent(1, 'x', 'b', 3, 4)
	runs := func(inner State) []Candidate {
		return []Candidate{
			{Span: sent(1, 'a', 0, 0, 9), Kind: agentrun.Agent},
			{Span: sent(1, 'b', 'a', 2, 5), Kind: agentrun.Agent, State: inner},
		}
	}
	for _, tc := range []struct {
		name         string
		include      bool
		inner        State
		want         Disposition
		outer, owner int // how many calls they have
		reason       string
	}{
		{"the owner is ready", false, Ready, Counts, 0, 1, "the owner alone takes it"},
		{"the owner waits", false, Waiting, Stays, 0, 0, "it waits with its owner"},
		{"the owner has closed", false, Closed, Late, 0, 0, "its run was judged without it"},
		{"calls count for the runs around", true, Ready, Counts, 1, 1, "both runs take it"},
		{"the run around is ready first", true, Waiting, Stays, 1, 0, "the outer run takes a copy, and its owner waits for it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			candidates := runs(tc.inner)
			r := resolverOf(agentrun.Settings{Include: tc.include}, false, candidates, call)
			got := r.GiveCall(&agentrun.PendingCall{ID: call.ID, Parent: call.Parent, Start: call.Start, End: call.End, Process: call.Process})
			require.Equal(t, tc.want, got, tc.reason)
			require.Equal(t, []int{tc.outer, tc.owner}, []int{len(candidates[0].Calls), len(candidates[1].Calls)}, tc.reason)
		})
	}
}

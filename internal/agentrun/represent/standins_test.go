package represent_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/represent"
)

// sent is a span of a process, named by letters: its own, and its parent's if that is known.
func sent(by agentrun.Process, id, parent byte, start, end pcommon.Timestamp) agentrun.Span {
	s := agentrun.Span{ID: pcommon.SpanID{id}, Start: start, End: end, Process: by}
	if parent != 0 {
		s.Parent = pcommon.SpanID{parent}
	}
	return s
}

func TestWhatRepresentsARun(t *testing.T) {
	agent, workflow, root := agentrun.Agent, agentrun.Workflow, agentrun.Root
	all := func(agentrun.Process) bool { return true }
	first := func(p agentrun.Process) bool { return p == 1 }
	for _, tc := range []struct {
		name     string
		spans    []ownership.Candidate
		whole    bool
		hasCalls func(agentrun.Process) bool
		want     []bool
		reason   string
	}{
		{"an agent and a workflow", []ownership.Candidate{{Span: sent(1, 'a', 0, 0, 9), Kind: workflow}, {Span: sent(1, 'b', 'a', 1, 2), Kind: agent}}, false, all,
			[]bool{false, true}, "a stand-in is for a trace without an agent's span"},
		{"a workflow and a root", []ownership.Candidate{{Span: sent(1, 'a', 0, 0, 9), Kind: root}, {Span: sent(1, 'b', 'a', 1, 2), Kind: workflow}}, false, all,
			[]bool{false, true}, "the workflow goes first"},
		{"the root of another process that has calls", []ownership.Candidate{{Span: sent(1, 'a', 0, 0, 9), Kind: agent}, {Span: sent(2, 'b', 0, 1, 2), Kind: root}}, false, all,
			[]bool{true, true}, "an agent of one process says nothing of the calls of another"},
		{"the root of another process without calls", []ownership.Candidate{{Span: sent(1, 'a', 0, 0, 9), Kind: agent}, {Span: sent(2, 'b', 0, 1, 2), Kind: root}}, false, first,
			[]bool{true, false}, "it represents nothing"},
		{"the root of a service that an agent calls", []ownership.Candidate{{Span: sent(1, 'a', 0, 0, 9), Kind: agent}, {Span: sent(2, 'b', 'a', 1, 2), Kind: root}}, false, all,
			[]bool{true, false}, "what an agent calls is below the agent"},
		{"two roots of a whole trace", []ownership.Candidate{{Span: sent(1, 'a', 'z', 0, 9), Kind: root}, {Span: sent(1, 'b', 0, 1, 2), Kind: root}}, true, all,
			[]bool{false, true}, "the span without a parent is the root"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var links parents.Table
			for _, s := range tc.spans {
				links.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, new(compare.Work))
			}
			stands := represent.Runs(tc.spans, tc.whole, &links, tc.hasCalls)
			for i, want := range tc.want {
				require.Equal(t, want, stands(i), "span %d: %s", i, tc.reason)
			}
		})
	}
}

package tracebuffer

import (
	"flag"
	"testing"
	"time"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

var update = flag.Bool("update", false, "write the bytes of this build over testdata/pins")

// The evidence of a trace after a closing is pinned: bytes of an earlier build must mean the same to this one.
func TestBytesOfWhatIsLeftDoNotChange(t *testing.T) {
	set := Settings{Settings: agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 1 << 10}}
	traceID := pcommon.TraceID{1, 2, 3}
	span := agentrun.Span{Trace: traceID, ID: pcommon.SpanID{4}, Parent: pcommon.SpanID{5}, Start: 6, End: 7}
	answer := agentrun.ModelResponse{Span: span, MessagesOnly: true,
		Requests: []agentrun.ToolRequest{{ID: "call_1", Name: "search", Arguments: scoring.JSON(`{}`)}},
		Results:  []agentrun.ToolResult{{ID: "call_0", Output: scoring.Text("nothing"), Failed: true}}}
	left := &trace{
		id: traceID, called: true, truncated: true, kinds: [agentrun.Root + 1]bool{agentrun.Workflow: true}, conversations: new(byprocess.Conversations),
		closedRuns:     closedruns.Runs{{Span: span, Kind: agentrun.Workflow, Reason: agentrun.ByLimit, At: 8}},
		awaitedAnchors: []awaitedAnchor{{Span: span, kind: agentrun.Root}},
		inferredAgents: byprocess.InferredAgents{0: {span.ID: true}},
		calls:          []agentrun.PendingCall{{ID: span.ID, Parent: span.Parent, Start: 6, End: 7, Name: unique.Make("search"), CallID: "call_1", Inherited: true, Counted: true}},
		responses:      []agentrun.ModelResponse{answer},
	}
	left.conversations.Add(0, "c")
	left.toolResults.Add(0, agentrun.TimedResult{ToolResult: answer.Results[0], At: 9})
	left.parents.Add(parents.Link{ID: span.ID, Parent: span.Parent}, new(compare.Work))
	for _, tc := range []struct {
		name string
		got  []byte
	}{
		{"cut", (&trace{id: traceID, cut: 12}).remainder(&set)},
		{"remainder", left.remainder(&set)},
		{"closed", left.closed(&set)},
	} {
		t.Run(tc.name, func(t *testing.T) { runtest.CheckPin(t, tc.name, tc.got, *update) })
	}
	b := New(&Settings{Settings: agentrun.Settings{MaxCalls: 10, MaxPayload: 1 << 10, KeepArguments: true, KeepOutput: true}, Known: func(pcommon.TraceID, bool) {},
		Earlier: func(pcommon.TraceID, func(span, parent pcommon.SpanID, by agentrun.Process)) pcommon.Timestamp {
			return 0
		}})
	if _, err := b.Restore(time.Unix(1, 0), left.remainder(&set)); err != nil {
		t.Errorf("a remainder cannot be restored: %v", err)
	}
}

package record

import (
	"flag"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

var update = flag.Bool("update", false, "write the bytes of this build over testdata/pins")

// The bytes of every fact are pinned: records of an earlier build must mean the same to this one.
func TestBytesOfFactsDoNotChange(t *testing.T) {
	set := agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 1 << 10}
	traceID := pcommon.TraceID{1, 2, 3}
	span := agentrun.Span{Trace: traceID, ID: pcommon.SpanID{4}, Parent: pcommon.SpanID{5}, Start: 6, End: 7}
	call := agentrun.Call{Call: scoring.Call{Name: "search", Arguments: scoring.JSON(`{"q":1}`), Output: scoring.Text("found"), Status: scoring.StatusFailed, Type: scoring.MCPTool},
		Span: span, CallID: "call_1", Traits: agentrun.Traits{ResultOnly: true, NormalizedName: true, MCPServer: true}}
	answer := agentrun.ModelResponse{Span: span, MessagesOnly: true,
		Requests: []agentrun.ToolRequest{{ID: "call_1", Name: "search", Arguments: scoring.JSON(`{}`)}},
		Results:  []agentrun.ToolResult{{ID: "call_0", Output: scoring.Text("nothing"), Failed: true}}}
	ofTrace := func(fill func(*Evidence)) []byte {
		e := NewEvidence(&set, traceID)
		fill(e)
		return e.Bytes()
	}
	outlined := Summary{Process: 10, Span: span, Calls: []CallSummary{{"search", 11}}}
	for _, tc := range []struct {
		name string
		got  []byte
	}{
		{"link", ofTrace(func(e *Evidence) { e.AddParent(span) })},
		{"sight", ofTrace(func(e *Evidence) { e.AddAgentSpan(span, agentrun.Workflow) })},
		{"step", ofTrace(func(e *Evidence) { e.AddStep(span, "") })},
		{"step_name", ofTrace(func(e *Evidence) { e.AddStepName(agentrun.SpanKey{Process: 1, ID: span.ID}, "desk") })},
		{"call", ofTrace(func(e *Evidence) { e.AddCall(call) })},
		{"answer", ofTrace(func(e *Evidence) { e.AddResponse(answer) })},
		{"shares", ofTrace(func(e *Evidence) {
			group := answer
			group.Shares = &[]agentrun.Share{{Agent: "desk", Task: 3, Messages: []int{1}}, {Agent: "clerk", Task: 4}}
			e.AddResponse(group)
		})},
		{"conversation", ofTrace(func(e *Evidence) { e.AddConversation(0, "c") })},
		{"source", ofTrace(func(e *Evidence) {
			known := span
			known.Process = 0x0102030405060708
			e.AddResponse(agentrun.ModelResponse{Span: known, Scope: 0x090a0b0c})
			e.AddAgentSpan(span, agentrun.Agent)
		})},
		{"echo", MCPEvidence(&set, 10, call)},
		{"outline", outlined.Evidence()},
	} {
		t.Run(tc.name, func(t *testing.T) { runtest.CheckPin(t, tc.name, tc.got, *update) })
	}
}

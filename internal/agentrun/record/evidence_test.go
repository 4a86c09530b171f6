package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// evidenceOf returns evidence with every kind of fact that a batch may have.
func evidenceOf(set *agentrun.Settings) *Evidence {
	e := NewEvidence(set, runtest.At("a 0-1").Trace)
	e.AddParent(runtest.At("w<a 1-8"))
	e.AddAgentSpan(runtest.At("a 0-9"), agentrun.Agent)
	e.AddStep(runtest.At("s<c 3-4"), "desk")
	e.AddConversation(0, "b")
	e.AddConversation(0, "a")
	e.AddCall(agentrun.Call{
		Span: runtest.At("c<w 2-5"), CallID: "call_abcdefgh",
		Call: scoring.Call{Name: "search", Arguments: scoring.JSON(`{"q": 1}`), Output: scoring.Text("found"),
			Status: scoring.StatusFailed, Type: scoring.MCPTool},
		Traits: agentrun.Traits{UnnamedArgument: true, MCPServer: true},
	})
	e.AddResponse(agentrun.ModelResponse{
		Span: runtest.At("m<a 1-2"), MessagesOnly: true, Unread: true,
		Requests: []agentrun.ToolRequest{{ID: "call_ijklmnop", Name: "lookup", Arguments: scoring.Omitted()}},
		Results:  []agentrun.ToolResult{{ID: "call_abcdefgh", Output: scoring.TooLarge(), Failed: true}},
	})
	return e
}

func TestEvidenceIsReadAsItWasWritten(t *testing.T) {
	set := agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 1 << 10}
	d, err := Decode(evidenceOf(&set).Bytes())
	require.NoError(t, err)
	assert.Equal(t, runtest.At("a 0-1").Trace, d.Trace)
	assert.Equal(t, []agentrun.Span{{Trace: d.Trace, ID: runtest.ID("w"), Parent: runtest.ID("a")}}, d.Parents)
	assert.Equal(t, []AgentSpan{{runtest.At("a 0-9"), agentrun.Agent}}, d.AgentSpans)
	assert.Equal(t, []StepName{{agentrun.SpanKey{ID: runtest.ID("c")}, "desk"}}, d.StepNames)
	assert.Equal(t, []Conversation{{0, "b"}, {0, "a"}}, d.Conversations, "the buffer keeps the lowest")
	require.Len(t, d.Calls, 1)
	call := d.Calls[0].Call
	assert.Equal(t, runtest.At("c<w 2-5"), call.Span)
	assert.Equal(t, scoring.Call{Name: "search", Arguments: scoring.JSON(`{"q": 1}`), Output: scoring.Text("found"),
		Status: scoring.StatusFailed, Type: scoring.MCPTool}, call.Call)
	assert.Equal(t, agentrun.Traits{UnnamedArgument: true, MCPServer: true}, call.Traits)
	require.Len(t, d.Responses, 1)
	assert.Equal(t, []agentrun.ToolRequest{{ID: "call_ijklmnop", Name: "lookup", Arguments: scoring.Omitted()}}, d.Responses[0].Requests)
	assert.Equal(t, []agentrun.ToolResult{{ID: "call_abcdefgh", Output: scoring.TooLarge(), Failed: true}}, d.Responses[0].Results)
	assert.True(t, d.Responses[0].MessagesOnly)
	assert.True(t, d.Responses[0].Unread)

	set = agentrun.Settings{MaxPayload: 1 << 10}
	d, err = Decode(evidenceOf(&set).Bytes())
	require.NoError(t, err)
	assert.Equal(t, scoring.Payload{}, d.Calls[0].Arguments, "what no metric reads is not kept")
	assert.Equal(t, scoring.Payload{}, d.Responses[0].Results[0].Output)

	set = agentrun.Settings{KeepArguments: true, MaxPayload: 2}
	d, err = Decode(evidenceOf(&set).Bytes())
	require.NoError(t, err)
	assert.Equal(t, scoring.TooLarge(), d.Calls[0].Arguments)
}

// The source of facts is stored once for consecutive facts of one instrumentation.
func TestEvidenceHasItsSender(t *testing.T) {
	set := agentrun.Settings{MaxPayload: 1 << 10}
	span := func(spec string, p agentrun.Process) agentrun.Span {
		s := runtest.At(spec)
		s.Process = p
		return s
	}
	call := func(spec string, p agentrun.Process, scope agentrun.Scope) agentrun.Call {
		return agentrun.Call{Span: span(spec, p), Scope: scope}
	}
	all, one := NewEvidence(&set, runtest.At("a 1-2").Trace), NewEvidence(&set, runtest.At("a 1-2").Trace)
	add := func(f func()) {
		one.Reset(runtest.At("a 1-2").Trace)
		f()
		all.Add(one)
	}
	add(func() { one.AddCall(call("c 1-2", 1, 2)) })
	before := len(all.Bytes())
	add(func() { one.AddCall(call("d 1-2", 1, 2)) })
	assert.Equal(t, before-sourceBytes-len(runtest.At("a 1-2").Trace), len(all.Bytes())-before, "the source is not repeated")
	add(func() { one.AddParent(span("l 1-2", 5)) })
	add(func() { one.AddCall(call("e 1-2", 0, 0)) })
	add(func() { one.AddAgentSpan(span("a 1-2", 3), agentrun.Agent) })
	add(func() { one.AddStep(span("s<c 1-2", 4), "") })
	add(func() { one.AddResponse(agentrun.ModelResponse{Span: span("m 1-2", 4), Scope: 6}) })

	d, err := Decode(all.Bytes())
	require.NoError(t, err)
	var senders []sender
	for _, c := range d.Calls {
		senders = append(senders, sender{c.Process, c.Scope})
	}
	assert.Equal(t, []sender{{1, 2}, {1, 2}, {}}, senders)
	assert.Equal(t, agentrun.Process(3), d.AgentSpans[0].Process)
	assert.Equal(t, agentrun.Process(4), d.Steps[0].Process)
	assert.Equal(t, sender{4, 6}, sender{d.Responses[0].Process, d.Responses[0].Scope})
}

// The evidence of an open trace after a closing has facts that no span has. They are read as they were written.
func TestFactsOfAnOpenTraceAreReadAgain(t *testing.T) {
	set := agentrun.Settings{MaxPayload: 1 << 10}
	e := NewEvidence(&set, runtest.At("a 0-1").Trace)
	call := agentrun.Call{Span: runtest.At("c<w 2-5"), CallID: "call_abcdefgh", Call: scoring.Call{Name: "search"}}
	pending := set.Pending(&call)
	pending.Payloads = &agentrun.CallPayloads{Output: scoring.Text("found")}
	pending.Inherited, pending.Counted = true, true
	result := agentrun.TimedResult{ToolResult: agentrun.ToolResult{ID: "call_abcdefgh", Output: scoring.Text("found"), Failed: true}, At: 7}
	run := closedruns.Run{Span: runtest.At("a 0-9"), Kind: agentrun.Workflow, Reason: agentrun.ByLimit, At: 8, Name: 9}
	run.Process = 3
	has := Presence{Process: 4, Called: true, SharesCalls: true, Agent: true, Workflow: true, Root: true, Truncated: true, Contradicted: true}
	e.AddPresence(Presence{})
	e.AddPresence(has)
	e.AddCut(12)
	e.AddClosedRun(run)
	e.AddInferredAgent(agentrun.SpanKey{Process: 5, ID: runtest.ID("i")})
	e.AddDispute(agentrun.SpanKey{Process: 6, ID: runtest.ID("d")})
	e.AddStepName(agentrun.SpanKey{Process: 8, ID: runtest.ID("i")}, "")
	e.AddPendingCall(&pending)
	e.AddToolResult(7, result)

	d, err := Decode(e.Bytes())
	require.NoError(t, err)
	assert.Equal(t, []Presence{{}, has}, d.Presences)
	assert.EqualValues(t, 12, d.Cut)
	assert.Equal(t, closedruns.Runs{run}, d.ClosedRuns)
	assert.Equal(t, []agentrun.Span{{Trace: d.Trace, Parent: runtest.ID("i"), Process: 5}}, d.Steps)
	assert.Equal(t, []StepName{{Above: agentrun.SpanKey{Process: 8, ID: runtest.ID("i")}}}, d.StepNames, "steps name different agents")
	assert.Equal(t, []agentrun.SpanKey{{Process: 6, ID: runtest.ID("d")}}, d.Disputed)
	require.Len(t, d.Calls, 1)
	call.Output = scoring.Text("found")
	assert.Equal(t, Call{Call: call, Inherited: true, Counted: true}, d.Calls[0], "what a trace has is written whatever the settings keep")
	assert.Equal(t, []ToolResult{{TimedResult: result, Process: 7}}, d.Results)
}

// The shares of a group are of the response before them, and have no more requests than it has.
func TestSharesOfAGroupAreReadAgain(t *testing.T) {
	set := agentrun.Settings{MaxPayload: 1 << 10}
	group := agentrun.ModelResponse{
		Span: runtest.At("g 0-9"), OfAgent: true, Requests: []agentrun.ToolRequest{{ID: "call_abcdefgh", Name: "search"}},
		Shares: &[]agentrun.Share{{Agent: "desk", Messages: []int{1}}, {Agent: "clerk", Task: 1}},
	}
	evidence := func(responses ...agentrun.ModelResponse) []byte {
		e := NewEvidence(&set, group.Trace)
		for _, a := range responses {
			e.AddResponse(a)
		}
		return e.Bytes()
	}
	d, err := Decode(evidence(agentrun.ModelResponse{Span: runtest.At("m 1-2")}, group))
	require.NoError(t, err)
	require.Len(t, d.Responses, 2)
	assert.Nil(t, d.Responses[0].Shares)
	assert.Equal(t, group, d.Responses[1])

	more := group
	more.Shares = &[]agentrun.Share{{Agent: "desk", Messages: []int{1, 1}}}
	_, err = Decode(evidence(more))
	require.ErrorIs(t, err, ErrEvidence)
}

// Bytes that are no evidence are an error that says so. A summary is the same after it was written and read.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"answer", "shares", "call", "source", "echo", "outline"} {
		f.Add(runtest.Pinned(f, name))
	}
	f.Add(evidenceOf(&agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 1 << 10}).Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Decode(data); err != nil {
			require.ErrorIs(t, err, ErrEvidence)
		}
		if _, _, err := DecodeMCP(data); err != nil {
			require.ErrorIs(t, err, ErrEvidence)
		}
		summary, err := DecodeSummary(data)
		if err != nil {
			require.ErrorIs(t, err, ErrEvidence)
			return
		}
		again, err := DecodeSummary(summary.Evidence())
		require.NoError(t, err)
		require.Equal(t, summary, again)
	})
}

package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestVercelCalls(t *testing.T) {
	checkRows(t, []row{
		{
			name: "everything in place",
			span: "ai.toolCall",
			attributes: map[string]any{
				"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.id": "call_1", "ai.telemetry.functionId": "support",
				vercelArguments: `{"q":"a"}`, vercelResult: `"found"`, "ai.telemetry.metadata.sessionId": "s1",
			},
			want: Reading{
				Role: ToolCall, Conversation: "s1", CallID: "call_1", Of: "support",
				Call: scoring.Call{Name: "search", Arguments: scoring.JSON(`{"q":"a"}`), Output: scoring.JSON(`"found"`)},
			},
			reason: "the SDK writes JSON text, also for a string; it leaves the status of a success unset",
		},
		{
			name:       "arguments under their other key",
			attributes: map[string]any{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.input": `{"q":"a"}`},
			want:       call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"q":"a"}`) }),
			reason:     "other readers of these spans accept it",
		},
		{
			name: "arguments and result as Sentry renames them",
			attributes: map[string]any{
				"ai.operationId": "ai.toolCall", genAIToolName: "search", sentryInput: `{"q":"a"}`, sentryOutput: `1`,
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON(`1`)
			}),
			reason: "its SDK does so before it sends, and keeps the operation",
		},
		{
			name:       "a failed call",
			attributes: map[string]any{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search"},
			status:     ptrace.StatusCodeError,
			want:       call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "the tool threw, so there is a status and no result",
		},
		{
			name:       "a status that is another call's",
			attributes: map[string]any{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", vercelResult: `1`},
			status:     ptrace.StatusCodeError,
			want: call("search").with(func(r *Reading) {
				r.Call.Output, r.Call.Status = scoring.JSON(`1`), scoring.StatusOK
			}),
			reason: "openinference-vercel spreads an error over all later spans; only a success has a result",
		},
		{
			name:       "without a name",
			span:       "ai.toolCall support",
			attributes: map[string]any{"ai.operationId": "ai.toolCall"},
			want:       call("ai.toolCall support"),
			reason:     "the span's name is all that is left",
		},
	})
}

func TestVercelAgents(t *testing.T) {
	operation := func(name string) map[string]any {
		return map[string]any{"ai.operationId": name, "ai.telemetry.functionId": "support"}
	}
	agent := Reading{Role: Agent, Agent: "support"}
	answer := Reading{Role: ModelCall, Messages: VercelMessages, Of: "support"}
	checkRows(t, []row{
		{name: "generateText", attributes: operation("ai.generateText"), want: agent, reason: "it loops over steps and tools"},
		{name: "streamText", attributes: operation("ai.streamText"), want: agent, reason: "the same, streamed"},
		{name: "generateObject", attributes: operation("ai.generateObject"), reason: "it can call no tools, so it is no run to be judged"},
		{name: "streamObject", attributes: operation("ai.streamObject"), reason: "the same, streamed"},
		{name: "a step of generateObject", attributes: operation("ai.generateObject.doGenerate"), reason: "it asks for no tools"},
		{name: "a streamed step of streamObject", attributes: operation("ai.streamObject.doStream"), reason: "it asks for no tools"},
		{name: "a step", attributes: operation("ai.generateText.doGenerate"), want: answer, reason: "a model call inside the agent"},
		{name: "a streamed step", attributes: operation("ai.streamText.doStream"), want: answer, reason: "a model call inside the agent"},
		{name: "an embedding", attributes: operation("ai.embed"), reason: "no agent runs"},
		{
			name:       "named by the resource",
			attributes: map[string]any{"ai.operationId": "ai.generateText", "resource.name": "support"},
			want:       agent,
			reason:     "resource.name repeats the function's id",
		},
		{
			name:       "without a function id",
			span:       "ai.generateText",
			attributes: map[string]any{"ai.operationId": "ai.generateText", vercelContext: "s1"},
			want:       Reading{Role: Agent, Conversation: "s1"},
			reason:     "the span's name is the operation's, not the agent's",
		},
		{
			name:       "an operation that is no string",
			attributes: map[string]any{"ai.operationId": 7, "ai.toolCall.name": "search"},
			reason:     "a marker counts only as a string",
		},
	})
}

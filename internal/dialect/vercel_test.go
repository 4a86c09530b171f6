package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestVercelCalls(t *testing.T) {
	checkRows(t, []row{
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
	checkRows(t, []row{
		{name: "generateObject", attributes: operation("ai.generateObject"), reason: "it can call no tools, so it is no run to be judged"},
		{name: "streamObject", attributes: operation("ai.streamObject"), reason: "the same, streamed"},
		{name: "a step of generateObject", attributes: operation("ai.generateObject.doGenerate"), reason: "it asks for no tools"},
		{name: "a streamed step of streamObject", attributes: operation("ai.streamObject.doStream"), reason: "it asks for no tools"},
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

package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestLogfire(t *testing.T) {
	const function = "Function: {name}"
	checkRows(t, []row{
		{
			name: "a tool",
			span: function,
			attributes: map[string]any{
				logfireTemplate: function, logfireName: "search", logfireInput: `{"q":"a"}`, logfireOutput: "sunny", sessionID: "s1",
			},
			want: call("search").with(func(r *Reading) {
				r.Conversation = "s1"
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON("sunny")
			}),
			reason: "the span's name is the template, so the name stands in an attribute",
		},
		{
			name:       "a result as Python shows it",
			attributes: map[string]any{logfireTemplate: function, logfireName: "search", logfireOutput: "{'ok': True, 'n': 1}"},
			want:       call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"ok":true,"n":1}`) }),
			reason:     "the SDK makes a text of what a tool returns",
		},
		{
			name: "a tool behind MCP",
			attributes: map[string]any{
				logfireTemplate: function, logfireName: "search",
				logfireOutput: `{"type":"text","text":"4","annotations":null,"meta":null}`,
			},
			want:   call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON("4") }),
			reason: "the SDK writes the only block of the answer without the list around it",
		},
		{
			name:       "a failed tool",
			attributes: map[string]any{logfireTemplate: function, logfireName: "search", logfireError: `{"message":"Error running tool"}`},
			want:       call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "the integration leaves the span's status alone",
		},
		{
			name:       "no failure",
			attributes: map[string]any{logfireTemplate: function, logfireName: "search", logfireError: "null"},
			want:       call("search"),
			reason:     "Logfire writes null for None",
		},
		{
			name:       "hidden content",
			attributes: map[string]any{logfireTemplate: function, logfireName: "search", logfireInput: "[Scrubbed due to 'auth']", logfireOutput: "[Scrubbed due to 'auth']"},
			want:       call("search"),
			reason:     "the placeholder is no content",
		},
		{
			name: "wrong types",
			span: function,
			attributes: map[string]any{
				logfireTemplate: function, logfireName: []any{}, logfireInput: map[string]any{"q": 1}, logfireOutput: true, logfireError: 1,
			},
			status: ptrace.StatusCodeOk,
			want: call("{name}").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":1}`), scoring.JSON(`true`)
				r.Call.Status = scoring.StatusOK
			}),
			reason: "values that are no text are content all the same",
		},
		{
			name:       "an agent",
			span:       "Agent run: {name!r}",
			attributes: map[string]any{logfireTemplate: "Agent run: {name!r}", logfireName: "support", "tools": `["search"]`},
			want:       Reading{Role: Agent, Agent: "support"},
			reason:     "one execution of an agent",
		},
		{
			name: "the trace",
			attributes: map[string]any{
				logfireTemplate: "OpenAI Agents trace: {name}", logfireName: "Agent workflow", logfireGroup: "chat-1",
			},
			want:   Reading{Role: Workflow, Agent: "Agent workflow", Conversation: "chat-1"},
			reason: "it groups the agents of one run",
		},
		{
			name: "the trace without a group",
			attributes: map[string]any{
				logfireTemplate: "OpenAI Agents trace: {name}", logfireName: "Agent workflow", logfireGroup: "null",
			},
			want:   Reading{Role: Workflow, Agent: "Agent workflow"},
			reason: "null is no conversation",
		},
		{
			name:       "an application's own span",
			span:       "payment {id}",
			attributes: map[string]any{logfireTemplate: "payment {id}", logfireName: "search", logfireInput: `{}`},
			reason:     "every span has a template",
		},
		{
			name:       "another integration",
			span:       "execute_tool search",
			attributes: map[string]any{logfireTemplate: "execute_tool search", genAIOperation: executeTool, genAIToolName: "search"},
			want:       call("search"),
			reason:     "those write the conventions' keys",
		},
	})
}

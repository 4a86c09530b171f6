package dialect

import (
	"maps"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestLogfire(t *testing.T) {
	const function = "Function: {name}"
	checkRows(t, []row{
		{
			name:       "a result as Python shows it",
			scope:      logfireAgentsScope,
			attributes: map[string]any{logfireTemplate: function, "name": "search", "output": "{'ok': True, 'n': 1}"},
			want:       call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"ok":true,"n":1}`) }),
			reason:     "the SDK makes a text of what a tool returns",
		},
		{
			name:       "no failure",
			scope:      logfireAgentsScope,
			attributes: map[string]any{logfireTemplate: function, "name": "search", "error": "null"},
			want:       call("search"),
			reason:     "Logfire writes null for None",
		},
		{
			name:       "hidden content",
			scope:      logfireAgentsScope,
			attributes: map[string]any{logfireTemplate: function, "name": "search", "input": "[Scrubbed due to 'auth']", "output": "[Scrubbed due to 'auth']"},
			want:       call("search"),
			reason:     "the placeholder is no content",
		},
		{
			name:  "wrong types",
			scope: logfireAgentsScope,
			span:  function,
			attributes: map[string]any{
				logfireTemplate: function, "name": []any{}, "input": map[string]any{"q": 1}, "output": true, "error": 1,
			},
			status: ptrace.StatusCodeOk,
			want: call("{name}").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":1}`), scoring.JSON(`true`)
				r.Call.Status = scoring.StatusOK
			}),
			reason: "values that are no text are content all the same",
		},
		{
			name:  "the trace without a group",
			scope: logfireAgentsScope,
			attributes: map[string]any{
				logfireTemplate: "OpenAI Agents trace: {name}", "name": "Agent workflow", logfireGroup: "null",
			},
			want:   Reading{Role: Workflow, Agent: "Agent workflow"},
			reason: "null is no conversation",
		},
		{
			name:       "an application's own span",
			span:       "payment {id}",
			attributes: map[string]any{logfireTemplate: "payment {id}", "name": "search", "input": `{}`},
			reason:     "every span has a template",
		},
		{
			name:       "an application's own span with the integration's template",
			scope:      "logfire",
			span:       function,
			attributes: map[string]any{logfireTemplate: function, "name": "handler", "input": `{}`},
			reason:     "a function that an application logs is no tool that a model called",
		},
		{
			name:       "a tool without its scope",
			span:       function,
			attributes: map[string]any{logfireTemplate: function, "name": "search", genAISystem: "openai"},
			want:       call("search"),
			reason:     "the integration names the provider on its spans, and an application's own have none",
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

func TestLogfireModelCalls(t *testing.T) {
	const chatTemplate = "Chat Completion with {request_data[model]!r}"
	model := func(template string, more map[string]any) map[string]any {
		attributes := map[string]any{logfireTemplate: template, logfireGiven: `{"messages":[]}`, logfireResponse: `{"message":{}}`}
		maps.Copy(attributes, more)
		return attributes
	}
	answer := Reading{Role: ModelCall, Messages: LogfireMessages, Traits: MessagesOnly}
	checkRows(t, []row{
		{
			name:       "OpenAI",
			scope:      "logfire.openai",
			attributes: model(chatTemplate, map[string]any{genAIOperation: chat}),
			want:       answer,
			reason:     "the provider's answer is on the span, whatever the operation says",
		},
		{
			name:       "OpenAI in older versions",
			scope:      "logfire.openai",
			attributes: model(chatTemplate, map[string]any{sessionID: "s1"}),
			want:       answer.with(func(r *Reading) { r.Conversation = "s1" }),
			reason:     "they set no operation",
		},
		{
			name:       "Anthropic",
			scope:      "logfire.anthropic",
			attributes: model("Message with {request_data[model]!r}", nil),
			want:       answer,
			reason:     "the same with another template",
		},
		{
			name:       "a streamed answer",
			scope:      "logfire.openai",
			attributes: model("streaming response from {request_data[model]!r} took {duration:.2f}s", nil),
			want:       answer,
			reason:     "it has a span of its own",
		},
		{
			name:       "the request of a streamed answer",
			scope:      "logfire.openai",
			attributes: map[string]any{logfireTemplate: chatTemplate, logfireGiven: `{"messages":[]}`},
			reason:     "nothing is answered yet",
		},
		{
			name:       "the conventions' messages",
			scope:      "logfire.openai",
			attributes: map[string]any{logfireTemplate: chatTemplate, logfireGiven: `{"model":"m"}`, genAIOperation: chat, genAIOutput: "[]"},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages, Traits: MessagesOnly},
			reason:     "in its newest form the answer is written as the conventions have it",
		},
		{
			name:       "embeddings",
			scope:      "logfire.openai",
			attributes: model("Embedding Creation with {request_data[model]!r}", nil),
			reason:     "an answer without a message",
		},
		{
			name:       "an application's own span",
			scope:      "logfire",
			attributes: model(chatTemplate, nil),
			reason:     "anyone may write such a template",
		},
		{
			name:       "wrong types",
			scope:      "logfire.openai",
			attributes: map[string]any{logfireTemplate: 7, logfireGiven: true, logfireResponse: []any{}},
			reason:     "a marker counts only as a string",
		},
	})
}

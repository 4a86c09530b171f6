package dialect

import (
	"maps"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestLangfuseCalls(t *testing.T) {
	const pythonParameters = `{"temperature":1,"max_completion_tokens":"Infinity","top_p":1,"frequency_penalty":0,"presence_penalty":0}`
	const toolMessage = `{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],` +
		`"kwargs":{"status":"error","content":"{\"temp\":7}","tool_call_id":"call_1","name":"weather"}}`
	tool := func(input, output string) map[string]any {
		return map[string]any{langfuseType: "tool", langfuseInput: input, langfuseOutput: output}
	}
	langChain := func(more map[string]any) map[string]any {
		attributes := tool(`{"city":"Oslo"}`, toolMessage)
		attributes[langfuseNode] = "tools"
		maps.Copy(attributes, more)
		return attributes
	}
	oslo := func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }
	checkRows(t, []row{
		{
			name:       "an observation",
			span:       "weather",
			attributes: tool(`{"city":"Oslo"}`, `sunny`),
			want:       call("weather").with(oslo).with(func(r *Reading) { r.Call.Output = scoring.JSON("sunny") }),
			reason:     "the span is named after the tool; a text is written without quotes",
		},
		{
			name:       "LangChain, with the call's id beside",
			span:       "weather",
			attributes: langChain(map[string]any{langfuseCallID: `"call_1"`}),
			want: call("weather").with(oslo).with(func(r *Reading) {
				r.CallID, r.Call.Output, r.Call.Status = "call_1", scoring.JSON(`{"temp":7}`), scoring.StatusFailed
			}),
			reason: "LangChain wraps the result of a call that has an id, so the message is LangChain's",
		},
		{
			name:       "LangChain, with another call's id beside",
			span:       "weather",
			attributes: langChain(map[string]any{langfuseCallID: "call_2"}),
			want: call("weather").with(oslo).with(func(r *Reading) {
				r.CallID, r.Call.Output = "call_2", scoring.JSON(`{"temp":7}`)
			}),
			reason: "the attribute is LangChain's, and the message is not known to be",
		},
		{
			name:       "a function that returns the form of a message",
			span:       "weather",
			attributes: tool(`{"city":"Oslo"}`, toolMessage),
			want:       call("weather").with(oslo).with(func(r *Reading) { r.Call.Output = scoring.JSON(toolMessage) }),
			reason:     "nothing says that LangChain called it",
		},
		{
			name:       "LangChain in Python",
			span:       "weather",
			attributes: tool(`{'city': 'Oslo'}`, ""),
			want:       call("weather").with(oslo),
			reason:     "the callback gets the arguments in their Python form",
		},
		{
			name:       "a decorated function",
			span:       "weather",
			attributes: tool(`{"args":[],"kwargs":{"city":"Oslo"}}`, ""),
			want:       call("weather").with(oslo),
			reason:     "named arguments are the tool's",
		},
		{
			name:       "a failure",
			span:       "weather",
			attributes: map[string]any{langfuseType: "tool", langfuseInput: `{"city":"Oslo"}`, "langfuse.observation.level": "ERROR"},
			want:       call("weather").with(oslo).with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "the span's status stays unset",
		},
		{
			name: "wrong types",
			span: "weather",
			attributes: map[string]any{
				langfuseType: "tool", langfuseInput: map[string]any{"city": "Oslo"}, "langfuse.observation.level": true, sessionID: []any{"a"},
			},
			want:   call("weather").with(oslo),
			reason: "they are as good as absent; a value's own type is kept",
		},
		{
			name:       "a generation of OpenAI's client in JavaScript",
			attributes: map[string]any{langfuseType: "generation", "langfuse.observation.model.parameters": `{"temperature":1,"response_format":""}`},
			want:       Reading{Role: ModelCall, Messages: LangfuseMessages, Traits: MessagesOnly},
			reason:     "the integration blanks response_format, and writes the whole message",
		},
		{
			name:       "a generation of OpenAI's client in JavaScript, in pieces",
			attributes: map[string]any{langfuseType: "generation", "langfuse.observation.model.parameters": `{"stream":true,"response_format":""}`},
			want:       Reading{Role: ModelCall, Traits: MessagesOnly},
			reason:     "then it writes the text as it is",
		},
		{
			name:       "a generation of OpenAI's client in Python",
			attributes: map[string]any{langfuseType: "generation", "langfuse.observation.model.parameters": pythonParameters},
			want:       Reading{Role: ModelCall, Messages: LangfuseMessages, Traits: MessagesOnly},
			reason:     "the integration always writes these",
		},
		{
			name:       "a generation of OpenAI's client in Python, in pieces",
			attributes: map[string]any{langfuseType: "generation", "langfuse.observation.model.parameters": pythonParameters, "langfuse.observation.completion_start_time": `"2026-11-22T03:05:36Z"`},
			want:       Reading{Role: ModelCall, Traits: MessagesOnly},
			reason:     "then it writes the text as it is",
		},
		{
			name:       "a generation of the application's own",
			attributes: map[string]any{langfuseType: "generation", "langfuse.observation.model.parameters": `{"temperature":1,"max_tokens":100}`},
			want:       Reading{Role: ModelCall, Traits: MessagesOnly},
			reason:     "its output may be the model's text as it is, which may look like a message with calls",
		},
		{
			name:       "a tool of the conventions",
			attributes: map[string]any{langfuseType: "span", genAIOperation: executeTool, genAIToolName: "weather", genAIArguments: `{"city":"Oslo"}`},
			want:       call("weather").with(oslo),
			reason:     "anything may be a span, and another instrumentation says what this one is",
		},
		{
			name:       "an agent of the conventions",
			attributes: map[string]any{langfuseType: "chain", genAIOperation: invokeAgent, genAIAgentName: "Support"},
			want:       Reading{Role: Agent, Agent: "Support"},
			reason:     "a chain may be anything as well",
		},
		{
			name:       "a workflow of the conventions",
			attributes: map[string]any{langfuseType: "event", genAIOperation: invokeWorkflow, "gen_ai.workflow.name": "nightly"},
			want:       Reading{Role: Workflow, Agent: "nightly"},
			reason:     "and so may an event",
		},
		{
			name:       "a tool of both",
			span:       "weather",
			attributes: map[string]any{langfuseType: "tool", genAIOperation: executeTool, langfuseInput: `{"city":"Oslo"}`},
			want:       call("weather").with(oslo),
			reason:     "a type that says as much as the conventions is read",
		},
		{
			name:       "an event",
			attributes: map[string]any{langfuseType: "event", genAIOperation: "embeddings"},
			reason:     "known, and nothing that runs",
		},
		{
			name:       "a retriever",
			attributes: map[string]any{langfuseType: "retriever"},
			reason:     "known, and no tool that the model asked for",
		},
	})
}

func TestLangfuseGroups(t *testing.T) {
	group := func(kind, agent, node string) map[string]any {
		return map[string]any{langfuseType: kind, langfuseAgentName: agent, langfuseNode: node, sessionID: "s1"}
	}
	for _, tc := range []struct {
		name, span string
		attributes map[string]any
		parent     bool
		want       Reading
		reason     string // why this is right, for the next reader: required
	}{
		{
			"an agent", "Support", group("agent", "", ""), true,
			Reading{Role: Agent, Agent: "Support", Conversation: "s1"}, "its type says so",
		},
		{
			"a node called agent", "agent", group("agent", "", "agent"), true,
			Reading{}, "in Python everything with agent in its name is of type agent",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			span := newSpan(tc.span, tc.attributes)
			if tc.parent {
				span.SetParentSpanID(pcommon.SpanID{1})
			}
			checkReading(t, "langfuse-sdk", span, tc.want, tc.reason)
		})
	}
}

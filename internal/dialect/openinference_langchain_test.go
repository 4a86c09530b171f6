package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestLangChainCalls(t *testing.T) {
	tool := func(input, mime, output string) map[string]any {
		return map[string]any{
			openInferenceKind: "TOOL", openInferenceToolName: "weather",
			openInferenceInput: input, openInferenceInputType: mime, openInferenceOutput: output,
		}
	}
	bare := func(text string) func(*Reading) {
		return func(r *Reading) { r.Traits, r.Call.Arguments = UnnamedArgument, scoring.Text(text) }
	}
	checkRows(t, []row{
		{
			name:       "one argument that is a text and looks like JSON",
			scope:      langChainJSScope,
			attributes: tool("42", "application/json", ""),
			want:       call("weather").with(bare("42")),
			reason:     "arguments are an object, and only a text is written without its name",
		},
		{
			name:       "one argument that begins like an object",
			scope:      langChainV0Scope,
			attributes: tool("{city}", "text/plain", ""),
			want:       call("weather").with(bare("{city}")),
			reason:     "it is none, neither in JSON nor in Python",
		},
		{
			name:       "in Python",
			scope:      langChainPyScope,
			attributes: tool(`{'city': 'Oslo', 'vip': True}`, "", ""),
			want: call("weather").with(func(r *Reading) {
				r.Traits, r.Call.Arguments = UnnamedArgument, scoring.JSON(`{"city":"Oslo","vip":true}`)
			}),
			reason: "LangChain hands the arguments over in their Python form, but it may be one text",
		},
		{
			name:       "one argument that is a text and an object",
			scope:      langChainJSScope,
			attributes: tool(`{"city":"Oslo"}`, "text/plain", ""),
			want: call("weather").with(func(r *Reading) {
				r.Traits, r.Call.Arguments = UnnamedArgument, scoring.JSON(`{"city":"Oslo"}`)
			}),
			reason: "older versions write all arguments like that, so it may be both",
		},
		{
			name:  "a tool's message",
			scope: langChainJSScope,
			attributes: tool(`{}`, "application/json", `{"output":{"lc":1,"type":"constructor",`+
				`"id":["langchain_core","messages","ToolMessage"],`+
				`"kwargs":{"status":"error","content":"no such city","tool_call_id":"call_1","name":"weather"}}}`),
			want: call("weather").with(func(r *Reading) {
				r.CallID = "call_1"
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{}`), scoring.JSON("no such city")
				r.Call.Status = scoring.StatusFailed
			}),
			reason: "what the model gets is the message's content, and the message knows the call",
		},
		{
			name:  "wrong types",
			scope: langChainJSScope,
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather",
				openInferenceInput: map[string]any{"city": "Oslo"}, openInferenceInputType: 7,
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }),
			reason: "a map has its own type, and is not bare",
		},
		{
			name: "a tool that is named like its agent", scope: langChainPyScope, span: "ask_agent",
			attributes: map[string]any{
				openInferenceKind: "AGENT", openInferenceToolName: "ask_agent", openInferenceInput: "{}",
				openInferenceMetadata: `{"lc_agent_name":"ask_agent","langgraph_node":"tools"}`,
			},
			want:   call("ask_agent").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("{}") }),
			reason: "only tools have a tool's name, and a server chooses it",
		},
		{
			name:       "a tool with agent in its name",
			scope:      langChainPyScope,
			span:       "ask_agent",
			attributes: map[string]any{openInferenceKind: "AGENT", openInferenceToolName: "ask_agent", openInferenceInput: "{}"},
			want:       call("ask_agent").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("{}") }),
			reason:     "in Python the name decides on the kind; only tools have a tool's name",
		},
	})
}

func TestLangChainGroups(t *testing.T) {
	for _, tc := range []struct {
		name, scope, span, kind, metadata string
		parent                            bool
		want                              Reading
		reason                            string // why this is right, for the next reader: required
	}{
		{
			"a node that is named like its agent", langChainJSScope, "tools", "CHAIN", `{"lc_agent_name":"tools","langgraph_node":"tools"}`, true,
			Reading{}, "the agent itself is in no node of its own",
		},
		{
			"an agent by its name", langChainPyScope, "AgentExecutor", "AGENT", ``, true,
			Reading{Role: Agent, Agent: "AgentExecutor"}, "LangChain's older agents",
		},
		{
			"a node called agent", langChainPyScope, "agent", "AGENT", `{"langgraph_node":"agent"}`, true,
			Reading{}, "in Python everything with agent in its name is of kind AGENT",
		},
		{
			"a parser of an agent's output", langChainPyScope, "OpenAIToolsAgentOutputParser", "AGENT", ``, true,
			Reading{}, "likewise",
		},
		{
			"metadata that are no JSON", langChainJSScope, "travel_desk", "CHAIN", `{"lc_agent_name":`, true,
			Reading{}, "what they mean is not known",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			span := newSpan(tc.span, map[string]any{openInferenceKind: tc.kind, openInferenceMetadata: tc.metadata})
			if tc.parent {
				span.SetParentSpanID(pcommon.SpanID{1})
			}
			checkReading(t, tc.scope, span, tc.want, tc.reason)
		})
	}
}

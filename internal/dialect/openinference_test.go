package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	agentsPy = "openinference.instrumentation.openai_agents"
)

func TestOpenInferenceCalls(t *testing.T) {
	checkRows(t, []row{
		{
			name: "no mime type, an object",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather",
				openInferenceInput: `{"city":"Oslo"}`, openInferenceOutput: `[1]`,
			},
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"city":"Oslo"}`), scoring.JSON(`[1]`)
			}),
			reason: "plain text by the specification, but written by instrumentations that forget the type",
		},
		{
			name: "no mime type, anything else",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather", openInferenceInput: "7", openInferenceOutput: "true",
			},
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.Text("7"), scoring.Text("true")
			}),
			reason: "the specification's default is plain text",
		},
		{
			name: "redacted beside a schema",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather",
				openInferenceInput: "__REDACTED__", openInferenceOutput: "7", openInferenceParameters: `{"city":{"type":"string"}}`,
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Output = scoring.Text("7") }),
			reason: "a schema has no arguments",
		},
		{
			name:  "redacted beside an empty object",
			scope: "openinference.instrumentation.google_adk",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather",
				openInferenceInput: "__REDACTED__", openInferenceOutput: "7", openInferenceParameters: `{}`,
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Output = scoring.Text("7") }),
			reason: "it may be the schema of a tool without parameters",
		},
		{
			name: "a value that is no string",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather",
				openInferenceInput: map[string]any{"city": "Oslo"}, openInferenceInputType: "text/plain",
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }),
			reason: "a map has its own type, whatever stands beside it",
		},
		{
			name:  "arguments and result under the conventions' keys",
			scope: agentsPy,
			span:  "execute_tool weather",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIArguments: `{"city":"Oslo"}`, genAIResult: `[{"type":"text","text":"sunny"}]`,
			},
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"city":"Oslo"}`), scoring.JSON("sunny")
			}),
			reason: "there is neither input.value nor output.value, and the span need not have been renamed",
		},
		{
			name:  "hidden under its own key",
			scope: agentsPy,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "weather", openInferenceInput: openInferenceRedacted,
				openInferenceOutput: openInferenceRedacted, genAIArguments: `{"city":"Oslo"}`, genAIResult: "sunny",
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }),
			reason: "the input is hidden, and the arguments beside it are not",
		},
		{
			name:       "a kind that is no string",
			attributes: map[string]any{openInferenceKind: true, openInferenceToolName: "weather"},
			reason:     "a marker counts only as a string",
		},
	})
}

func TestOpenInferenceParameters(t *testing.T) {
	parameters := func(text string) map[string]any {
		return map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "weather", openInferenceParameters: text}
	}
	checkRows(t, []row{
		{
			name:       "an argument named type",
			attributes: parameters(`{"type":"hourly","city":"Oslo"}`),
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments = scoring.JSON(`{"type":"hourly","city":"Oslo"}`)
			}),
			reason: "only the type object makes a schema",
		},
		{
			name:       "a schema without a type",
			attributes: parameters(`{"properties":{}}`),
			want:       call("weather"),
			reason:     "a JSON schema need not say that it is an object",
		},
		{
			name:       "a description by name",
			attributes: parameters(`{"city":{"type":"string","description":"Where"}}`),
			want:       call("weather"),
			reason:     "smolagents describes its inputs so",
		},
		{
			name:       "no object",
			attributes: parameters(`{'city': 'Oslo'}`),
			want:       call("weather"),
			reason:     "what a text there means is not known",
		},
	})
}

func TestOpenInferenceAgents(t *testing.T) {
	checkRows(t, []row{
		{
			name: "names before ids",
			span: "Agent.run",
			attributes: map[string]any{
				openInferenceKind: "AGENT", openInferenceNodeID: "9f86d081884c7d65", openInferenceNodeName: "Support",
			},
			want:   Reading{Role: Agent, Agent: "Support"},
			reason: "Agno's node ids are random",
		},
		{
			name:       "a chain without a parent",
			span:       "travel_desk",
			attributes: map[string]any{openInferenceKind: "CHAIN", sessionID: "s1"},
			want:       Reading{Role: Workflow, Agent: "travel_desk", Conversation: "s1"},
			reason:     "LangGraph's root is named after the graph and is the only span that represents the run",
		},
		{
			name:       "a model call through Amazon Bedrock",
			scope:      "openinference.instrumentation.bedrock",
			span:       "bedrock.converse",
			attributes: map[string]any{openInferenceKind: "LLM"},
			want:       Reading{Role: ModelCall, Messages: OpenInferenceMessages, Traits: MessagesOnly},
			reason:     "only Bedrock's own agents have tool spans",
		},
		{
			name:       "a model call of an agent of Amazon Bedrock",
			scope:      "openinference.instrumentation.bedrock",
			span:       "LLM",
			attributes: map[string]any{openInferenceKind: "LLM"},
			want:       Reading{Role: ModelCall, Messages: OpenInferenceMessages},
			reason:     "its tools have spans",
		},
		{
			name:       "a retriever",
			span:       "VectorStoreRetriever",
			attributes: map[string]any{openInferenceKind: "RETRIEVER"},
			reason:     "known, and no tool that the model asked for",
		},
	})
	t.Run("a chain with a parent", func(t *testing.T) {
		span := newSpan("tools", map[string]any{openInferenceKind: "CHAIN"})
		span.SetParentSpanID(pcommon.SpanID{1})
		checkReading(t, "", span, Reading{}, "it is one node of a graph")
	})
}

func TestOpenInferenceVariants(t *testing.T) {
	tool := func(name, input, output string) map[string]any {
		return map[string]any{
			openInferenceKind: "TOOL", openInferenceToolName: name,
			openInferenceInput: input, openInferenceOutput: output,
		}
	}
	with := func(attributes map[string]any, description string) map[string]any {
		attributes["tool.description"] = description
		return attributes
	}
	weather := func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }
	checkRows(t, []row{
		{
			name:       "a tool of OpenAI's agents that is named like a handoff",
			scope:      openAIAgentsPy,
			span:       "handoff to nobody",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "handoff to nobody"},
			want:       call("handoff to nobody"),
			reason:     "it has the name of a tool",
		},
		{
			name:       "a tool of a server with the name of smolagents' answer",
			scope:      smolagentsScope,
			span:       "MCPAdaptTool",
			attributes: with(tool(finalAnswer, "", ""), finalAnswerText),
			want:       call(finalAnswer),
			reason:     "its class is not that of the framework's tool, whatever it is called",
		},
		{
			name:       "a tool with another description",
			scope:      smolagentsScope,
			span:       "FinalAnswerTool",
			attributes: with(tool(finalAnswer, "", ""), "Sends a mail."),
			want:       call(finalAnswer),
			reason:     "it does something else",
		},
		{
			name:       "a tool without a description",
			scope:      smolagentsScope,
			span:       "FinalAnswerTool",
			attributes: tool(finalAnswer, "", ""),
			want:       call(finalAnswer),
			reason:     "nothing shows that it is the framework's, and a call must not vanish",
		},
		{
			name:       "the Claude Agent SDK",
			scope:      "@arizeai/openinference-instrumentation-claude-agent-sdk",
			span:       "mcp__travel__weather",
			attributes: tool("mcp__travel__weather", `{"city":"Oslo"}`, `[{"type":"text","text":"{\"temp\":7}"}]`),
			want: call("mcp__travel__weather").with(weather).with(func(r *Reading) {
				r.Call.Output = scoring.JSON(`{"temp":7}`)
			}),
			reason: "its tools are MCP's, and answer with a list of content",
		},
		{
			name:  "AG2",
			scope: "openinference.instrumentation.ag2",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather", "tool_call.id": "call_1",
				openInferenceInput:         `{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}`,
				openInferenceCallArguments: `{"city":"Oslo"}`,
			},
			want:   call("weather").with(weather).with(func(r *Reading) { r.CallID = "call_1" }),
			reason: "the input is the whole function call",
		},
		{
			name:  "AG2 without content",
			scope: "openinference.instrumentation.ag2",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather",
				openInferenceInput: openInferenceRedacted, openInferenceCallArguments: `{"city":"Oslo"}`,
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }),
			reason: "the input is hidden, and the arguments beside it are not",
		},
		{
			name:       "Instructor",
			scope:      "openinference.instrumentation.instructor",
			span:       "instructor.patch",
			attributes: tool("", `{"model":"gpt-4o-mini"}`, ""),
			reason:     "of kind TOOL, but it is a model call",
		},
		{
			name:       "TanStack AI",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "weather", "tanstack.ai.tool.call.id": "call_1"},
			want:       call("weather").with(func(r *Reading) { r.CallID = "call_1" }),
			reason:     "it has a key of its own for the call's id",
		},
	})
}

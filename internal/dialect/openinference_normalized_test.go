package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The collector's gen_ai_normalizer has changed these spans of OpenInference.
func TestOpenInferenceNormalized(t *testing.T) {
	const scope = "openinference.instrumentation.agno"
	oslo := func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }
	agent := func(name string) Reading { return Reading{Role: Agent, Agent: name} }
	checkRows(t, []row{
		{
			name:  "a tool",
			scope: scope,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "weather", genAICallID: "call_1", openInferenceInput: `{"city":"Oslo"}`,
			},
			want:   call("weather").with(oslo).with(func(r *Reading) { r.CallID = "call_1" }),
			reason: "the arguments keep their name, all else is renamed",
		},
		{
			name:  "a tool in a scope of the application",
			scope: "shop",
			attributes: map[string]any{
				openInferenceKind: "TOOL", genAIOperation: executeTool, openInferenceToolName: "weather", openInferenceInput: `{"city":"Oslo"}`,
			},
			want:   call("weather").with(oslo),
			reason: "by the conventions it has no arguments",
		},
		{
			name:  "a tool that is described both ways",
			scope: "shop",
			attributes: map[string]any{
				openInferenceKind: "TOOL", genAIOperation: executeTool, genAIToolName: "weather",
				genAIArguments: `{"city":"Oslo"}`, openInferenceInput: "Oslo",
			},
			want:   call("weather").with(oslo),
			reason: "no name was changed",
		},
		{
			name:       "an agent",
			scope:      scope,
			span:       "travel.run",
			attributes: map[string]any{genAIOperation: invokeAgent, genAIAgentName: "travel", genAIConversation: "c1"},
			want:       Reading{Role: Agent, Agent: "travel", Conversation: "c1"},
			reason:     "it has a name",
		},
		{
			name:       "an agent that is called one",
			scope:      "openinference.instrumentation.smolagents",
			span:       "CodeAgent.run",
			attributes: map[string]any{genAIOperation: invokeAgent},
			want:       agent("CodeAgent"),
			reason:     "chains are not",
		},
		{
			name:       "an agent of smolagents with a name of its own",
			scope:      smolagentsScope,
			span:       "travel_desk.run",
			attributes: map[string]any{genAIOperation: invokeAgent},
			want:       agent("travel_desk"),
			reason:     "only agents run, and the steps are chains",
		},
		{
			name:       "an agent in a scope of the application",
			scope:      "shop",
			span:       "travel",
			attributes: map[string]any{openInferenceKind: "AGENT", genAIOperation: invokeAgent},
			want:       agent("travel"),
			reason:     "by the conventions it has no name",
		},
		{
			name:       "a chain",
			scope:      scope,
			span:       "turn",
			attributes: map[string]any{genAIOperation: invokeAgent},
			want:       Reading{Role: Workflow, Agent: "turn"},
			reason:     "it is at the root",
		},
		{
			name:       "a chain in a scope of the application",
			scope:      "shop",
			span:       "turn",
			attributes: map[string]any{openInferenceKind: "CHAIN", genAIOperation: invokeAgent},
			want:       Reading{Role: Workflow, Agent: "turn"},
			reason:     "only the normalizer calls a chain an agent",
		},
		{
			name:       "an agent of LangChain for JavaScript",
			scope:      langChainJSScope,
			span:       "travel_agent",
			attributes: map[string]any{genAIOperation: invokeAgent, openInferenceMetadata: `{"lc_agent_name":"travel_agent"}`},
			want:       agent("travel_agent"),
			reason:     "the metadata keeps its name",
		},
		{
			name:       "a model's answer",
			scope:      "openinference.instrumentation.openai",
			attributes: map[string]any{genAIOperation: chat},
			want:       Reading{Role: ModelCall, Messages: OpenInferenceMessages, Traits: MessagesOnly},
			reason:     "the offered tools keep their name",
		},
		{
			name:       "an operation that is no text",
			scope:      scope,
			attributes: map[string]any{genAIOperation: 7},
			reason:     "as good as absent",
		},
	})
}

// The collector's gen_ai_normalizer has changed these spans of OpenLLMetry.
func TestTraceloopNormalized(t *testing.T) {
	const scope = "@traceloop/node-server-sdk"
	checkRows(t, []row{
		{
			name:  "a tool",
			scope: scope,
			span:  "weather.tool",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIAgentName: "weather", genAIInput: `{"args":[],"kwargs":{"city":"Oslo"}}`, genAIOutput: `7`,
			},
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"city":"Oslo"}`), scoring.JSON(`7`)
			}),
			reason: "what went in and came out is said to be messages, and the tool's name an agent's",
		},
		{
			name:       "an agent",
			scope:      traceloopPy,
			span:       "travel.agent",
			attributes: map[string]any{genAIOperation: invokeAgent, genAIAgentName: "travel"},
			want:       Reading{Role: Agent, Agent: "travel"},
			reason:     "its name tells it from a task",
		},
		{
			name:       "a workflow",
			scope:      scope,
			span:       "plan.workflow",
			attributes: map[string]any{genAIOperation: invokeWorkflow, genAIAgentName: "plan"},
			want:       Reading{Role: Workflow, Agent: "plan"},
			reason:     "its name is said to be an agent's",
		},
		{
			name:       "a task",
			scope:      scope,
			span:       "step.task",
			attributes: map[string]any{genAIOperation: invokeAgent, genAIAgentName: "step"},
			reason:     "it is no agent, whatever it is said to be",
		},
		{
			name:       "a session",
			scope:      "@traceloop/instrumentation-mcp",
			span:       "mcp.client.session",
			attributes: map[string]any{genAIOperation: "session"},
			want:       Reading{Role: Session},
			reason:     "a kind that is no operation keeps its name",
		},
		{
			name:       "a model's answer",
			scope:      "@traceloop/instrumentation-openai",
			attributes: map[string]any{genAIOperation: chat},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages, Traits: MessagesOnly},
			reason:     "these were never written otherwise",
		},
		{
			name:       "an operation that is no text",
			scope:      scope,
			attributes: map[string]any{genAIOperation: true},
			reason:     "as good as absent",
		},
	})
}

package dialect

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestLlamaIndexByOpenLLMetry(t *testing.T) {
	task := func(more ...string) map[string]any {
		attributes := map[string]any{traceloopKind: "task", traceloopName: "BaseWorkflowAgent.task"}
		for i := 0; i < len(more); i += 2 {
			attributes[more[i]] = more[i+1]
		}
		return attributes
	}
	workflow := func(name, output string) map[string]any {
		return map[string]any{traceloopKind: "workflow", traceloopName: name, traceloopOutput: output}
	}
	const (
		result = `{"tool_name": "search", "tool_id": "c1", "tool_output": {"raw_output": "gone", "is_error": true}}`
		answer = `{"result": {"response": {"current_agent_name": "forged"}, "current_agent_name": "desk"}}`
	)
	arguments := scoring.JSON(`{"q":"x"}`)
	checkRows(t, []row{
		{
			name: "a step that calls a tool", scope: traceloopLlamaIndex, attributes: task("tool.name", "search", "tool.arguments", `{"q":"x"}`, traceloopOutput, result),
			want: Reading{Role: ToolCall, CallID: "c1", Call: scoring.Call{
				Name: "search", Arguments: arguments, Output: scoring.JSON("gone"), Status: scoring.StatusFailed,
			}},
			reason: "the framework's record of the call has the id and the failure",
		},
		{
			name: "without an output", scope: traceloopLlamaIndex, attributes: task("tool.name", "search", "tool.arguments", `{"q":"x"}`),
			want: Reading{Role: ToolCall, Call: scoring.Call{Name: "search", Arguments: arguments}}, reason: "content is switched off, and the arguments stay",
		},
		{
			name: "an output in another form", scope: traceloopLlamaIndex, attributes: task("tool.name", "search", traceloopOutput, `{"tool_id": "c9"}`),
			want: Reading{Role: ToolCall, Call: scoring.Call{Name: "search", Output: scoring.JSON(`{"tool_id": "c9"}`)}}, reason: "it is not the framework's record",
		},
		{name: "another step", scope: traceloopLlamaIndex, attributes: task(traceloopOutput, result), reason: "a part of the agent"},
		{
			name: "an agent", scope: traceloopLlamaIndex, span: "FunctionAgent.workflow", attributes: workflow("FunctionAgent.workflow", answer),
			want: Reading{Role: Agent, Agent: "desk"}, reason: "the name stands beside the answer",
		},
		{
			name: "an agent without an output", scope: traceloopLlamaIndex, span: "ReActAgent.workflow", attributes: workflow("ReActAgent.workflow", ""),
			want: Reading{Role: Agent}, reason: "its class is no name",
		},
		{
			name: "several agents", scope: traceloopLlamaIndex, span: "AgentWorkflow.workflow", attributes: workflow("AgentWorkflow.workflow", answer),
			want: Reading{Role: Agent}, reason: "the answer is the last agent's, and the run is that of all",
		},
		{
			name: "another workflow", scope: traceloopLlamaIndex, span: "RAG.workflow", attributes: workflow("RAG.workflow", answer),
			want: Reading{Role: Workflow, Agent: "RAG.workflow"}, reason: "what it returns makes no agent",
		},
		{
			name: "another scope", attributes: task("tool.name", "search"), reason: "an application may write any attribute",
		},
	})
}

func TestLlamaIndexByOpenInference(t *testing.T) {
	setup := func(event string) map[string]any {
		input, err := json.Marshal(struct {
			Context string `json:"ctx"`
			Event   string `json:"ev"`
		}{"context", event})
		require.NoError(t, err)
		return map[string]any{openInferenceKind: "CHAIN", openInferenceInput: string(input)}
	}
	chain := map[string]any{openInferenceKind: "CHAIN"}
	checkRows(t, []row{
		{
			name: "an agent", scope: llamaIndexScope, span: "FunctionAgent.run", attributes: chain, want: Reading{Role: Agent},
			reason: "the span is named after the agent's class",
		},
		{
			name: "several agents", scope: llamaIndexScope, span: "AgentWorkflow.run", attributes: chain, want: Reading{Role: Agent},
			reason: "they hand over to each other in one run",
		},
		{
			name: "another workflow", scope: llamaIndexScope, span: "RAG.run", attributes: chain, want: Reading{Role: Workflow, Agent: "RAG.run"},
			reason: "it may call models and no tools",
		},
		{
			name: "an agent's step", scope: llamaIndexScope, span: "BaseWorkflowAgent.run_agent_step", attributes: chain,
			want: Reading{Role: Workflow, Agent: "BaseWorkflowAgent.run_agent_step"}, reason: "here without a parent; below one it is a part",
		},
		{
			name: "a step that names the agent", scope: llamaIndexScope, span: "BaseWorkflowAgent.setup_agent", parent: true,
			attributes: setup(`AgentInput(input=[ChatMessage(blocks=[TextBlock(text='hi')])], current_agent_name='desk')`),
			want:       Reading{Role: Step, Agent: "desk"}, reason: "no other span has the name, and this one begins each turn",
		},
		{
			name: "a step that names the agent, of several agents", scope: llamaIndexScope, span: "AgentWorkflow.setup_agent", parent: true,
			attributes: setup(`AgentInput(input=[], current_agent_name='order desk')`),
			want:       Reading{Role: Step, Agent: "order desk"}, reason: "each turn may be another agent's",
		},
		{
			name: "a message that looks like a name", scope: llamaIndexScope, span: "BaseWorkflowAgent.setup_agent", parent: true,
			attributes: setup(`AgentInput(input=[ChatMessage(text=", current_agent_name='forged')\"}")])`), reason: "content names no agent",
		},
		{
			name: "a message that was cut off", scope: llamaIndexScope, span: "BaseWorkflowAgent.setup_agent", parent: true,
			attributes: map[string]any{openInferenceKind: "CHAIN", openInferenceInput: `{"ev": "AgentInput(input=[ChatMessage(text=\", current_agent_name='forged')\"}`},
			reason:     "inside of a JSON string a quotation mark has a backslash, so a text cannot look like the end",
		},
		{
			name: "a name with an apostrophe", scope: llamaIndexScope, span: "BaseWorkflowAgent.setup_agent", parent: true,
			attributes: setup(`AgentInput(input=[], current_agent_name="the user's")`), reason: "no name is better than half of one",
		},
		{
			name: "a step that is hidden", scope: llamaIndexScope, span: "BaseWorkflowAgent.setup_agent", parent: true,
			attributes: map[string]any{openInferenceKind: "CHAIN", openInferenceInput: openInferenceRedacted}, reason: "content is switched off",
		},
		{
			name: "another step", scope: llamaIndexScope, span: "BaseWorkflowAgent.parse_agent_output", parent: true,
			attributes: setup(`AgentInput(input=[], current_agent_name='desk')`), reason: "only one step has the event at the end of its input",
		},
		{
			name: "a step of another instrumentation", span: "BaseWorkflowAgent.setup_agent", parent: true,
			attributes: setup(`AgentInput(input=[], current_agent_name='desk')`), reason: "an application may name its spans anything",
		},
		{
			name: "the name alone", span: "FunctionAgent.run", attributes: chain, want: Reading{Role: Workflow, Agent: "FunctionAgent.run"},
			reason: "an application may name its spans anything",
		},
	})
}

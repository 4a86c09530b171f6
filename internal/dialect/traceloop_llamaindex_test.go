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
	checkRows(t, []row{
		{
			name: "an output in another form", scope: traceloopLlamaIndex, attributes: task("tool.name", "search", traceloopOutput, `{"tool_id": "c9"}`),
			want: Reading{Role: ToolCall, Call: scoring.Call{Name: "search", Output: scoring.JSON(`{"tool_id": "c9"}`)}}, reason: "it is not the framework's record",
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
			name: "several agents", scope: llamaIndexScope, span: "AgentWorkflow.run", attributes: chain, want: Reading{Role: Agent},
			reason: "they hand over to each other in one run",
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
			name: "a step of another instrumentation", span: "BaseWorkflowAgent.setup_agent", parent: true,
			attributes: setup(`AgentInput(input=[], current_agent_name='desk')`), reason: "an application may name its spans anything",
		},
		{
			name: "the name alone", span: "FunctionAgent.run", attributes: chain, want: Reading{Role: Workflow, Agent: "FunctionAgent.run"},
			reason: "an application may name its spans anything",
		},
	})
}

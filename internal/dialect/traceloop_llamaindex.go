package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenLLMetry for LlamaIndex. It writes a span for each method that LlamaIndex reports, and names it after the method's class.
// The step of an agent that calls a tool has the tool's name and arguments. The span of the tool's own class, below, has no name.
//
// Source: https://github.com/traceloop/openllmetry, packages/opentelemetry-instrumentation-llamaindex;
// https://github.com/run-llama/llama_index, llama-index-core/llama_index/core/agent/workflow.
const (
	traceloopLlamaIndex   = "opentelemetry.instrumentation.llamaindex"
	llamaIndexMultiAgents = "AgentWorkflow"     // runs several agents, one after the other
	llamaIndexBase        = "BaseWorkflowAgent" // whose methods are steps of agents
	llamaIndexSetup       = ".setup_agent"      // the step with which each turn of an agent begins
)

// isLlamaIndexAgent reports whether a class of LlamaIndex is that of an agent, or of a workflow of agents.
func isLlamaIndexAgent(class string) bool {
	return class == llamaIndexMultiAgents || strings.HasSuffix(class, "Agent") && class != "Agent" && class != llamaIndexBase
}

func (s *source) isLlamaIndexTask() bool {
	return s.scope == traceloopLlamaIndex && s.marker(traceloopKind) == "task" && s.marker(genAIOperation) == ""
}

// llamaIndexCall reads a step that calls a tool. All other tasks are parts of an agent.
func (s *source) llamaIndexCall(r *Reading) {
	r.Call.Name, r.CallID = s.text(openInferenceToolName), ""
	r.Call.Arguments, r.Call.Output = s.payload("tool.arguments"), s.payload(traceloopOutput)
	v, ok := r.Call.Output.Value()
	output := at(v, "tool_output")
	if !ok || output.Kind() != scoring.Object {
		return
	}
	r.CallID, r.Call.Output = member(v, "tool_id"), payloadOf(at(output, "raw_output"))
	if at(output, "is_error").Bool() {
		r.Call.Status = scoring.StatusFailed
	}
}

// llamaIndexWorkflow distinguishes agents from other workflows by the class after which the span is named. The framework
// puts the agent's name beside the agent's answer. If there are several agents, it is the last one, which does not represent
// the run.
func (s *source) llamaIndexWorkflow(r *Reading) {
	class := strings.TrimSuffix(r.Agent, ".workflow")
	if !isLlamaIndexAgent(class) {
		return
	}
	r.Role, r.Agent = Agent, ""
	if text := s.marker(traceloopOutput); class != llamaIndexMultiAgents && text != "" {
		if name, err := scoring.Decode(words.Member(words.Member(text, "result"), "current_agent_name")); err == nil {
			r.Agent = valid(name.Text())
		} else if words.IsCut(text) {
			r.Traits |= LostName
		}
	}
}

// llamaIndexChain finds the agents among what OpenInference calls chains. It writes an agent's name only to the spans of the
// agent's steps, and only in Python's form.
func (s *source) llamaIndexChain(r *Reading) {
	if class, runs := strings.CutSuffix(s.span.Name(), ".run"); runs && isLlamaIndexAgent(class) {
		*r = Reading{Role: Agent, Conversation: r.Conversation}
		return
	}
	if strings.HasSuffix(s.span.Name(), llamaIndexSetup) && !s.span.ParentSpanID().IsEmpty() {
		if name := llamaIndexAgentIn(s.marker(openInferenceInput)); name != "" {
			*r = Reading{Role: Step, Agent: name}
			return
		}
	}
	s.outermost(r)
}

// llamaIndexAgentIn is the agent's name in what the step setup_agent was given. The JSON text ends with the representation of
// the event, and that with the name of the agent whose turn it is. The messages stand in front of the name, so nothing that a
// user or a model writes can be taken for it. A name that would be escaped is not read.
func llamaIndexAgentIn(input string) string {
	event, ends := strings.CutSuffix(input, `')"}`)
	at := strings.LastIndexByte(event, '\'')
	if !ends || at < 0 || !strings.HasSuffix(event[:at], ", current_agent_name=") || strings.ContainsAny(event[at:], `\"`) {
		return ""
	}
	return valid(event[at+1:])
}

package dialect

import (
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference for LangChain and LangGraph.
//
// Source: https://github.com/Arize-ai/openinference, js/packages/openinference-instrumentation-langchain/src/utils.ts and
// python/instrumentation/openinference-instrumentation-langchain/src/openinference/instrumentation/langchain/_tracer.py.
const (
	langChainJSScope = "@arizeai/openinference-instrumentation-langchain"
	langChainV0Scope = "@arizeai/openinference-instrumentation-langchain-v0"
	langChainPyScope = "openinference.instrumentation.langchain"
)

// Keys of LangChain's metadata about an agent, and the default name of its graphs.
const (
	lcAgentName   = "lc_agent_name"
	langGraphNode = "langgraph_node"
	langGraphName = "LangGraph"
	// langGraphThread is the conversation in which a graph runs.
	langGraphThread = "thread_id"
)

func isLangChain(scope string) bool {
	return scope == langChainJSScope || scope == langChainPyScope || scope == langChainV0Scope
}

// langChainGroup reads chains and spans of kind AGENT. In Python that is every span with "agent" in its name: an agent, a
// tool, a parser or the node of a graph.
func (s *source) langChainGroup(r *Reading) {
	name, isAgent := s.spanName(), r.Role == Agent
	agent, node := s.langChainMetadata()
	switch {
	case isAgent && s.text(openInferenceToolName, genAIToolName) != "": // also if the tool is named like its agent
		*r = Reading{}
		s.fill(ToolCall, &openInferenceFields, r)
		s.openInferenceTool(r)
	case runsAgent(name, agent, node), isAgent && !isInnerChain(name, node):
		r.Role, r.Agent = Agent, name
	case s.span.ParentSpanID().IsEmpty(), name == langGraphName:
		r.Role, r.Agent = Workflow, name
	default:
		*r = Reading{}
	}
}

// langChainMetadata finds the agent and the node of a graph that the span belongs to.
func (s *source) langChainMetadata() (agent, node string) {
	text := s.marker(openInferenceMetadata)
	if !strings.Contains(text, lcAgentName) && !strings.Contains(text, langGraphNode) {
		return "", ""
	}
	v, _ := scoring.Decode(text)
	return member(v, lcAgentName), member(v, langGraphNode)
}

// chainRole is the role of a chain, which may be anything: an agent of LangChain's, or if it is the outermost one a workflow.
func (s *source) chainRole(chain, agent, node string) Role {
	switch {
	case runsAgent(chain, agent, node):
		return Agent
	case s.span.ParentSpanID().IsEmpty():
		return Workflow
	}
	return Nothing
}

// runsAgent reports whether a chain is the whole of an agent that LangChain's create_agent made. All its parts have the
// agent's name as metadata, but only the whole has it as span name. An agent may be inside of another's node, or be a node.
// But a node of an agent that has the agent's name is not the agent.
func runsAgent(chain, agent, node string) bool {
	return agent != "" && chain == agent && (node != chain || !slices.Contains(graphNodes, node))
}

// graphNodes are the names that LangChain gives to the nodes of an agent's graph.
var graphNodes = []string{"model_request", "model", "tools", "agent"}

// isInnerChain reports whether a chain with "agent" in its name is only a part of an agent, or of a graph's node: a node and the edge
// that leaves it are functions of the application's, with names such as agent and route_to_agent.
func isInnerChain(chain, node string) bool {
	return chain == node || node != "" && strings.HasSuffix(strings.ToLower(chain), "agent") || strings.HasSuffix(chain, "OutputParser")
}

// bareArgument finds the input that is not an object: of a call with one text only the text is written. In Python an
// object is written as Python does. A text that is an object has no mime type of JSON, but older versions write none at all.
func (s *source) bareArgument(r *Reading) {
	text := s.marker(openInferenceInput)
	if !r.Call.Arguments.Captured() || text == "" {
		return
	}
	if strings.HasPrefix(text, "{") {
		arguments := pyliteral.Payload(text)
		if v, ok := arguments.Value(); ok && v.Kind() == scoring.Object {
			r.setArguments(arguments, v.Len() > 0 && !strings.Contains(s.marker(openInferenceInputType), "json"))
			return
		}
	}
	r.Call.Arguments = scoring.Text(text)
	r.Traits |= UnnamedArgument
}

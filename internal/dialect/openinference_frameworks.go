package dialect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference for LangChain and LangGraph. Its instrumentations of frameworks are in js/packages and python/instrumentation of its repository.
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

// langChainGroup reads chains and spans of kind AGENT, which in Python is every span with "agent" in its name but those of tools.
func (s *source) langChainGroup(r *Reading) {
	agent, node := s.langChainMetadata()
	r.Agent = s.spanName()
	if r.Role = s.chainRole(r.Role == Agent, r.Agent, agent, node); r.Role == Nothing && r.Agent == langGraphName {
		r.Role = Workflow
	}
	if r.Role == Nothing {
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

// chainRole is the role of a chain, which may be anything: an agent, also if it is only called one, or if it is the outermost one a workflow.
func (s *source) chainRole(isCalledAgent bool, chain, agent, node string) Role {
	switch {
	case runsAgent(chain, agent, node), isCalledAgent && !isInnerChain(chain, node):
		return Agent
	case s.span.ParentSpanID().IsEmpty():
		return Workflow
	}
	return Nothing
}

// runsAgent reports whether a chain is the whole of an agent that LangChain's create_agent made: all its parts have the agent's name as metadata, but
// only the whole has it as span name. An agent may be a node of another, but not one of the agent's own nodes.
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
		arguments := pythonLiteral(text)
		if v, ok := arguments.Value(); ok && v.Kind() == scoring.Object {
			r.setArguments(arguments, v.Len() > 0 && !strings.Contains(s.marker(openInferenceInputType), "json"))
			return
		}
	}
	r.Call.Arguments = scoring.Text(text)
	r.Traits |= UnnamedArgument
}

// OpenInference for BeeAI in JavaScript makes a span of each of the framework's events, so a call is three of them: tool.dynamic.getWeather.start-1,
// then .success-1 or .error-1, then .finish-1. The number counts events of that name in the run, and does not join the three.
// Source of the names of events: https://github.com/i-am-bee/beeai-framework, typescript/src/tools/base.ts.
const beeAIScope = "@arizeai/openinference-instrumentation-beeai"

// OpenInference for BeeAI in Python makes a span of each call, each agent and some events, which have the kind of the span above and no class.
const (
	beeAIPyScope = "openinference.instrumentation.beeai"
	beeAIClass   = "metadata.class_name"
)

// readBeeAI recognizes all of its spans. Spans of kind AGENT below the root are the steps of an agent. The steps of an agent
// that is a tool are below that tool's span. None of them names its agent.
func (s *source) readBeeAI(r *Reading) {
	switch {
	case r.Role == ToolCall:
		s.beeAICall(r)
	case r.Role == Agent:
		r.Agent = cmp.Or(s.text("source"), s.spanName()) // the former is the agent's class
	case r.Role == Step:
		r.Conversation = ""
	case r.Role == ModelCall && strings.HasSuffix(s.beeAIPath(), ".success"):
		r.Messages = BeeAIMessages
	default:
		*r = Reading{}
	}
}

// beeAICall reads the events of a call. The path has the tool's name in camel case, and the message with the request, if repeated, the real one.
// The framework adds the tool final_answer.
func (s *source) beeAICall(r *Reading) {
	path, event := cutLast(s.beeAIPath(), '.')
	kind, name := cutLast(path, '.')
	status, ended := endings[event]
	if name == "" || name == "finalAnswer" && kind == "tool.dynamic" || !ended && event != "start" { // tools of servers are of another kind
		*r = Reading{}
		return
	}
	r.CallID, r.Traits = "", NormalizedName
	r.Call = scoring.Call{Name: name, Arguments: s.payload(openInferenceParameters), Status: status}
	if status == scoring.StatusOK {
		r.Call.Output = unwrapped(s.openInferenceValue(openInferenceOutput, openInferenceOutputType), "result")
	}
	if tool, id := s.beeAIRequest(); toolname.Same(tool, name) {
		r.Call.Name, r.CallID, r.Traits = tool, id, 0
	}
	if ended {
		r.Traits |= ResultOnly
	}
}

// beeAIRequest is the tool and the call id of the message that asked for the call. It is the last member of the metadata: what the framework knew
// when the event was written, as JSON. The rest is not decoded, because it is the agent's whole memory. Arguments may have a member of that name,
// which is no JSON without the last bracket. A few such are passed over.
func (s *source) beeAIRequest() (tool, callID string) {
	const name, few = `"toolCallMsg":`, 4
	known, _ := strings.CutSuffix(s.marker(openInferenceMetadata), "}")
	for at, n := strings.LastIndex(known, name), 0; at >= 0 && n < few; at, n = strings.LastIndex(known[:at], name), n+1 {
		if asked, err := scoring.Decode(known[at+len(name):]); err == nil {
			return member(asked, "toolName"), member(asked, "toolCallId")
		}
	}
	return "", ""
}

// beeAIPath is the event's path, or else the span's name without the number.
func (s *source) beeAIPath() string {
	if path := s.text("target"); path != "" {
		return path
	}
	path, _ := cutLast(s.spanName(), '-')
	return path
}

// cutLast parts a text at its last separator. Without one all of it comes last.
func cutLast(text string, separator byte) (before, last string) {
	i := strings.LastIndexByte(text, separator)
	return text[:max(i, 0)], text[i+1:]
}

// OpenInference for CrewAI has three forms of a tool's arguments. Until February 2026 they are parameters of a framework method, which include the
// call. Since then they are those of the tool's own method, or as in the framework's event, which may be the model's text.
// Source of the call: https://github.com/crewAIInc/crewAI, lib/crewai/src/crewai/tools/tool_calling.py.

// crewAIName is the name of a tool as the model saw it, which stands first in the description. tool.name may have spaces in their place.
func (s *source) crewAIName() string {
	line, _, _ := strings.Cut(s.marker("tool.description"), "\n")
	name, ok := strings.CutPrefix(line, "Tool Name: ")
	if !ok || !toolname.Same(name, s.text(openInferenceToolName)) {
		return ""
	}
	return valid(name)
}

// crewAIArguments are those of the tool: alone, or in the calling that the framework's method was given.
func (s *source) crewAIArguments(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if v.Kind() == scoring.String {
		if arguments, ok := objectOf(v); ok {
			return arguments
		}
	}
	if hasExactly(v, "tool_string", "tool", "calling") && strings.HasSuffix(s.span.Name(), "._use") {
		if calling := at(v, "calling"); hasExactly(calling, "tool_name", "arguments") {
			return asPayload(at(calling, "arguments"))
		}
		return scoring.Payload{} // the calling is what Python shows of an object
	}
	return p
}

// endsRun reports whether a call is of the tool that DSPy offers for the end of a run, also if its content is hidden. A server may give a tool
// that name as well. Such a tool shows by its arguments, or by what it returned.
func (r *Reading) endsRun() bool {
	if r.Call.Name != "finish" {
		return false
	}
	arguments, captured := r.Call.Arguments.Value()
	output, ok := r.Call.Output.Value()
	return (!captured || arguments.Kind() == scoring.Object && arguments.Len() == 0) && (!ok || output.Text() == "Completed.")
}

// dspyModule finds the modules that call tools. A span is named after a class and a method, which every agent of the class shares, so it does not
// have the agent's name. Source: https://github.com/stanfordnlp/dspy, dspy/predict/{react,code_act}.py.
func (s *source) dspyModule(r *Reading) {
	if class, _, _ := strings.Cut(s.span.Name(), "."); class == "ReAct" || class == "CodeAct" {
		*r = Reading{Role: Agent, Conversation: r.Conversation}
		return
	}
	s.outermost(r)
}

// OpenInference for Haystack writes a span for a pipeline and for each component that a pipeline runs. An agent is a component, and neither its model
// calls nor its tools have spans: its calls are in the messages of its output.
// Source of the messages: https://github.com/deepset-ai/haystack, haystack/dataclasses/chat_message.py.
const (
	haystackOIScope     = "openinference.instrumentation.haystack"
	haystackLastMessage = "last_message" // a part of an agent's result that no other component has
)

func (s *source) haystackChain(r *Reading) {
	if name := s.span.Name(); name == "Agent.run" || name == "Agent.run_async" {
		*r = Reading{
			Role: Agent, Agent: s.text(openInferenceAgentName, genAIAgentName), Conversation: r.Conversation,
			Traits: MessagesOnly, Messages: HaystackMessages,
		}
		return
	}
	agent, read := s.haystackComponent()
	if agent != "" {
		*r = Reading{Role: Agent, Agent: agent, Conversation: r.Conversation}
		return
	}
	s.outermost(r)
	if !read && r.Role != Nothing {
		r.Traits |= LostName
	}
}

// haystackComponent is the name of the only agent among the components of a pipeline, which the agent's own span does not have. The pipeline's output
// has results by the names of its components, and the framework's keys in each: tools and models decide on the values only.
func (s *source) haystackComponent() (agent string, read bool) {
	if name := s.span.Name(); !strings.HasPrefix(name, "Pipeline.run") && !strings.HasPrefix(name, "AsyncPipeline.run") {
		return "", true
	}
	text := s.marker(openInferenceOutput)
	if !strings.Contains(text, haystackLastMessage) {
		return "", !isCutJSON(text)
	}
	output, read := new(Scratch).decoded(text, nil)
	for name, result := range output.Members() {
		if _, isAgent := result.Member(haystackLastMessage); isAgent && agent != "" {
			return "", true
		} else if isAgent {
			agent = name
		}
	}
	return agent, read
}

// haystackResponse reads what the agent's model requested since the user's last message: the output repeats earlier turns.
func (s *source) haystackResponse(a *draft) {
	output, read := s.scratch.decoded(s.marker(openInferenceOutput), nil)
	s.scratch.unread = !read
	for text := range at(output, "messages").Elements() {
		message, ok := pythonRepr(text.Text(), len(text.Text()))
		if !ok {
			s.scratch.unread = s.scratch.unread || strings.Contains(text.Text(), "ToolCall")
			continue
		}
		role := at(message, "_role").Text()
		if strings.HasPrefix(role, "<ChatRole.USER") {
			a.ModelResponse, s.scratch.unread = ModelResponse{}, false
		}
		assistant := strings.HasPrefix(role, "<ChatRole.ASSISTANT")
		for part := range at(message, "_content").Elements() {
			switch {
			case assistant && is(part, "", "ToolCall"):
				a.ask(&ToolRequest{ID: member(part, "id"), Name: member(part, "tool_name"), Arguments: encoded(s.scratch.want.Arguments, part, "arguments")})
			case !assistant && is(part, "", "ToolCallResult") && s.scratch.want.Results:
				id := strings.Clone(member(at(part, "origin"), "id"))
				a.tell(ToolResult{ID: id, Output: encoded(s.scratch.want.Outputs, part, "result"), Failed: at(part, "error").Bool()})
			}
		}
	}
}

package dialect

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	langSmithKind      = "langsmith.span.kind"
	langSmithInput     = "gen_ai.prompt"     // JSON text
	langSmithOutput    = "gen_ai.completion" // JSON text
	langSmithAgentName = "langsmith.metadata.lc_agent_name"
	langSmithNode      = "langsmith.metadata.langgraph_node"
)

var langSmithName = names{[]string{genAIToolName, "langsmith.trace.name"}, []string{"*"}}

// langSmithRole recognizes chains. A chain is an agent only if LangChain says so; else the outermost chain represents the run. A
// chain can be anything: if an instrumentation says in the conventions' words what it is, the dialect of the conventions reads it.
func langSmithRole(s *source) (Role, bool) {
	if s.marker(langSmithKind) != "chain" || s.isConventional() {
		return Nothing, false
	}
	return s.chainRole(false, s.nameIn(langSmithName), s.text(langSmithAgentName), s.text(langSmithNode)), true
}

// langSmithExceptions reads the requests of a model if LangChain or a wrapped client wrote the response. A function of the application may
// return what the model wrote, which may look like a message with calls in it. A run that failed may still have the status of its beginning.
func langSmithExceptions(s *source, r *Reading) {
	switch r.Role {
	case ModelCall:
		r.Traits = MessagesOnly // an application may well trace its model and not its tools
		if s.text("langsmith.metadata.ls_model_type") == chat {
			r.Messages = LangSmithMessages
		}
	case ToolCall:
		if s.raised() {
			r.Call.Status = scoring.StatusFailed
		}
		if s.marker(langSmithInput) == "{}" && s.marker(langSmithOutput) == "{}" { // the client must hide them; a tool without arguments has an output
			r.Call.Arguments, r.Call.Output = scoring.Payload{}, scoring.Payload{}
			return
		}
		langChain := s.text(langSmithNode, langSmithAgentName) != "" // called the tool
		r.setArguments(langSmithArguments(r.Call.Arguments, langChain))
		output := r.Call.Output // what is no object is wrapped: in outputs in JavaScript, in output in Python and LangChain
		if r.Call.Output = unwrapped(unwrapped(output, "outputs"), messageOutput); langChain {
			r.withContent(output)
		}
	}
}

// langSmithArguments unwraps {"input": "<the arguments>"}, the form in which LangChain passes them. A function of the application
// may have a parameter of that name, and a model may write an object as its text. Then the names are not known.
func langSmithArguments(p scoring.Payload, langChain bool) (arguments scoring.Payload, unnamed bool) {
	v, _ := p.Value()
	input := at(v, "input")
	arguments, isObject := objectOf(input)
	if langChain && isObject && v.HasOnly("input") {
		return arguments, false
	}
	return p, isObject && v.HasOnly("input") && input.Kind() == scoring.String
}

const (
	langfuseType      = "langfuse.observation.type"
	langfuseInput     = "langfuse.observation.input"  // JSON text, a string as it is
	langfuseOutput    = "langfuse.observation.output" // in the same form
	langfuseAgentName = "langfuse.observation.metadata.lc_agent_name"
	langfuseNode      = "langfuse.observation.metadata.langgraph_node"
	langfuseCallID    = "langfuse.observation.metadata.tool_call_id" // by LangChain for Python since langchain-core 1.1
)

// langfuseRole knows the other types of observations. A span, a chain or an event can be anything: if it names its operation by the conventions,
// their dialect reads it. The agents of LangChain are found by their name. In Python all with "agent" in its name is of type agent, also nodes of
// graphs.
func langfuseRole(s *source) (Role, bool) {
	kind := s.marker(langfuseType)
	switch {
	case kind != "agent" && kind != "span" && kind != "chain" && kind != "event", kind != "agent" && s.isConventional():
		return Nothing, false
	case kind == "event":
		return Nothing, true
	}
	return s.chainRole(kind == "agent", s.spanName(), s.text(langfuseAgentName), s.text(langfuseNode)), true
}

// langfuseExceptions reads the requests of a model if an integration wrote the response: an application's text may look like a message with calls.
func langfuseExceptions(s *source, r *Reading) {
	switch r.Role {
	case ModelCall:
		if s.text(langfuseNode) == "" { // else LangGraph runs the tools, and the handler writes a span for each
			r.Traits = MessagesOnly // an application may well observe its model and not its tools
		}
		if s.writesMessage() {
			r.Messages = LangfuseMessages
		}
	case ToolCall:
		if s.text(langfuseCallID, langfuseNode, langfuseAgentName) != "" { // LangChain called the tool
			r.withContent(r.Call.Output)
		} else if strings.HasPrefix(s.marker(langfuseInput), `{"`) { // the decorator for Python writes JSON
			r.setArguments(unwrapFunction(r.Call.Arguments, hasExactly, "args", "kwargs"))
		}
	}
}

// writesMessage reports whether the response is a message, in which a model's text is only a member. LangChain's handlers write one for every chat
// model, and the integrations of OpenAI's client for a response in one piece: JavaScript's blanks response_format, Python's has five parameters.
func (s *source) writesMessage() bool {
	_, streamed := s.attributes.Get("langfuse.observation.completion_start_time")
	parameters, _ := scoring.Decode(s.marker("langfuse.observation.model.parameters"))
	switch {
	case s.text("langfuse.observation.metadata.ls_model_type") == chat:
		return true
	case streamed:
		return false
	case is(parameters, "response_format", ""):
		return !at(parameters, "stream").Bool()
	}
	for _, key := range [...]string{"temperature", "top_p", "frequency_penalty", "presence_penalty"} {
		if first(parameters, key).Kind() == scoring.Null {
			return false
		}
	}
	return first(parameters, "max_tokens", "max_completion_tokens").Kind() != scoring.Null
}

// langfuseValue also reads the Python form of a dictionary, which is what LangChain gives to its callbacks as text.
func langfuseValue(v pcommon.Value) scoring.Payload {
	if strings.HasPrefix(v.Str(), "{'") {
		return pythonLiteral(v.Str())
	}
	return structured(v)
}

const (
	mlflowType    = "mlflow.spanType"
	mlflowOutputs = "mlflow.spanOutputs"
	// MLflow makes attributes of what LangChain passes to its callback: the call's id since langchain-core 1.1, and metadata.
	mlflowCallID = "tool_call_id"
)

var mlflowKinds = []meaning{{"TOOL", ToolCall}, {"AGENT", Agent}}

// mlflowRole knows tools, agents and the outermost chain. LangGraph's nodes are chains inside a chain, and represent no run.
func mlflowRole(s *source) (Role, bool) {
	kind := strings.Trim(s.marker(mlflowType), `"\`)
	if kind != "CHAIN" && kind != "WORKFLOW" {
		return roleIn(mlflowKinds, kind)
	}
	agent, node := s.langChainMetadata()
	role := s.chainRole(false, s.spanName(), agent, node)
	return role, role != Nothing
}

// mlflowExceptions: the conversation may be the thread of LangGraph that the span's metadata names, which is on every span of its agents and
// graphs. A message is written as an object. A text in the form of one is the tool's.
func mlflowExceptions(s *source, r *Reading) {
	metadata := s.marker(openInferenceMetadata)
	if r.Conversation == "" && strings.Contains(metadata, langGraphThread) {
		v, _ := scoring.Decode(metadata)
		r.Conversation = member(v, langGraphThread)
	}
	if r.Role == Agent && strings.HasPrefix(s.span.Name(), "Agent.run") { // a method of Pydantic AI's
		r.Agent = cmp.Or(s.text("name"), r.Agent)
	}
	if r.Role != ToolCall || s.ofPydanticMethod(r) {
		return
	}
	r.Call.Name = cmp.Or(r.Call.Name, s.text("mlflow.spanFunctionName"))
	langChain := s.text(mlflowCallID) != "" || strings.Contains(metadata, langGraphNode) || strings.Contains(metadata, lcAgentName)
	if langChain && s.payload(mlflowOutputs) == r.Call.Output {
		r.withContent(r.Call.Output)
		return
	}
	r.Call.Output = contentList(r.Call.Output)
}

// ofPydanticMethod reads the spans that MLflow makes of methods of Pydantic AI before its version 2, and names after them. One lists the tools of a
// server. The others have the name of the tool among the method's arguments, of which often only the first is a literal of Python's.
// Source: https://github.com/mlflow/mlflow, mlflow/pydantic_ai.
func (s *source) ofPydanticMethod(r *Reading) bool {
	class, method, _ := strings.Cut(s.span.Name(), ".")
	isServer := strings.HasPrefix(class, "MCPServer")
	var call scoring.Value
	switch given, _ := r.Call.Arguments.Value(); {
	case isServer && method == "list_tools":
		*r = Reading{}
		return true
	case isServer && method == "call_tool":
		if call = given; given.Kind() == scoring.String {
			first, _, _ := strings.Cut(given.Text(), ", 'ctx': ")
			call, _ = pythonLiteral(first + "}").Value()
		}
		r.Traits |= MCP
	case class == "ToolManager" && method == "handle_call":
		call = at(given, "call")
	case class == "ToolManager" && method == "execute_tool_call":
		first, rest, _ := strings.Cut(strings.TrimPrefix(given.Text(), "{'validated': {'call': "), "), 'tool': ")
		if call, _ = pythonRepr(first+")", maxValues); strings.HasPrefix(rest, "None") {
			r.Traits |= NotMade
		}
	default:
		return false
	}
	if name := cmp.Or(at(call, "tool_name").Text(), at(call, "name").Text()); name != "" {
		r.Call.Name, r.CallID, r.Call.Arguments = valid(name), valid(at(call, "tool_call_id").Text()), payloadOf(first(call, "args", "tool_args"))
		return true
	}
	r.Call.Arguments, r.Traits = scoring.Payload{}, r.Traits|LostName
	return true
}

// mlflowValue decodes a string that holds an object or list. Some integrations write one as text before MLflow encodes it: a model's
// arguments, or LangChain's as Python prints them. Any other string is a string.
func mlflowValue(v pcommon.Value) scoring.Payload {
	if text, err := scoring.Decode(v.Str()); err == nil && text.Kind() == scoring.String {
		p := pythonLiteral(text.Text())
		if inner, _ := p.Value(); inner.Kind() == scoring.Object || inner.Kind() == scoring.Array {
			return p
		}
	}
	return structured(v)
}

const (
	logfireTemplate    = "logfire.msg_template"
	logfireGroup       = "group_id"
	logfireAgentsScope = "logfire.openai_agents"
	logfireAnthropic   = "Message with " // how the template of Anthropic's model calls begins
	logfireResponse    = "response_data"
	logfireGiven       = "request_data"
	genAISystem        = "gen_ai.system"
	genAIProvider      = "gen_ai.provider.name" // the same from version 1.37 of the conventions on
)

var logfireTemplates = []meaning{
	{"Function: {name}", ToolCall}, {"Agent run: {name!r}", Agent}, {"OpenAI Agents trace: {name}", Workflow},
	{"Chat Completion with *", ModelCall}, {logfireAnthropic + "*", ModelCall}, {"streaming response from *", ModelCall},
}

// logfireRole recognizes the templates of the integrations. All other spans of an application that uses Logfire have a template too. A streamed
// response is on a span of its own, after the one of the request. Newer versions, and the integration of the Responses API, follow the conventions.
func logfireRole(s *source) (Role, bool) {
	isIntegration := s.scope == logfireAgentsScope || s.scope == "logfire.openai" || s.scope == "logfire.anthropic"
	if !isIntegration && s.text(genAISystem, genAIProvider) == "" { // an application's own span may have any template
		return Nothing, false
	}
	role, known := roleIn(logfireTemplates, s.marker(logfireTemplate))
	if role == ModelCall {
		_, given := s.attributes.Get(logfireGiven)
		_, answered := s.attributes.Get(logfireResponse)
		known = given && answered
	}
	return role, known
}

// logfireExceptions: an error is there if the call failed; the span's status is not set.
func logfireExceptions(s *source, r *Reading) {
	if failure := s.marker("error"); r.Role == ToolCall && failure != "" && failure != "null" {
		r.Call.Status = scoring.StatusFailed
	}
}

// logfireAsked takes Anthropic's arguments out of {"input": ...}. The first versions of Logfire do not name the provider, but their template does.
func logfireAsked(s *source, requests []ToolRequest) {
	if s.text(genAIProvider, genAISystem) != "anthropic" && !strings.HasPrefix(s.marker(logfireTemplate), logfireAnthropic) {
		return
	}
	for i := range requests {
		requests[i].Arguments = unwrapped(requests[i].Arguments, "input")
	}
}

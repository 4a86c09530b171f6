package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	genAIOperation       = "gen_ai.operation.name"
	genAIToolName        = "gen_ai.tool.name"
	genAIToolType        = "gen_ai.tool.type"
	genAICallID          = "gen_ai.tool.call.id"
	genAIToolDescription = "gen_ai.tool.description"
	genAIArguments       = "gen_ai.tool.call.arguments" // a structured value where the SDK can, else JSON text
	genAIResult          = "gen_ai.tool.call.result"    // in the same form
	genAIInput           = "gen_ai.input.messages"
	genAIOutput          = "gen_ai.output.messages"
	genAIAgentName       = "gen_ai.agent.name"
	genAIConversation    = "gen_ai.conversation.id"
	errorType            = "error.type"
	llmRequestType       = "llm.request.type" // of OpenLLMetry's instrumentations, before they had an operation
	// sessionID names the user's session. It is the conversation if a dialect has no better attribute.
	// Source: https://github.com/open-telemetry/semantic-conventions, docs/general/session.md.
	sessionID = "session.id"
	// Sentry's SDKs wrote these before the conventions had keys for arguments and results. Source: https://github.com/getsentry/sentry-javascript,
	// packages/core/src/tracing/vercel-ai/index.ts; https://github.com/getsentry/sentry-python, sentry_sdk/consts.py.
	sentryInput  = "gen_ai.tool.input"
	sentryOutput = "gen_ai.tool.output"
	mcpMethod    = "mcp.method.name"
	mcpCallTool  = "tools/call"
)

// Values of gen_ai.operation.name, each also the first word of the span's name.
const (
	executeTool    = "execute_tool"
	invokeAgent    = "invoke_agent"
	invokeWorkflow = "invoke_workflow"
	chat           = "chat"
)

func genAIRole(s *source) (Role, bool) {
	var operation string
	if v, given := s.attributes.Get(genAIOperation); given {
		operation = v.Str()
	} else if operation = s.marker(llmRequestType); operation != chat && operation != "completion" { // OpenLLMetry's older key
		operation, _, _ = strings.Cut(s.span.Name(), " ")
	}
	role := operationRole(operation)
	return role, role != Nothing && !s.isRenamed()
}

// operationRole is the role of a span by its operation. Other operations say nothing about agents.
func operationRole(operation string) Role {
	switch operation {
	case executeTool:
		return ToolCall
	case invokeAgent, "process_thread_run": // the latter of Azure's agents
		return Agent
	case invokeWorkflow:
		return Workflow
	case chat, "generate_content", "text_completion", "completion", "acompletion", "responses", "aresponses", adkCallModel: // the latter of others
		return ModelCall
	}
	return Nothing
}

// isConventional reports whether the span names its operation by the conventions, which then decide, even if another SDK gave it a type of its own.
func (s *source) isConventional() bool { return operationRole(s.marker(genAIOperation)) != Nothing }

// genAIExceptions: OpenLLMetry's instrumentation of CrewAI also marks a crew and its tasks as agents, but only the agent has a name. Its
// instrumentation of LangChain marks a graph as an agent with the name of its class; and the collector's gen_ai_normalizer calls its tasks agents.
func genAIExceptions(s *source, r *Reading) {
	switch r.Role {
	case ToolCall:
		a := s.draft()
		if s.listedCalls(&a); len(a.Requests) > 0 {
			*r = Reading{Role: ModelCall, Conversation: r.Conversation, Messages: ListMessages, Traits: MessagesOnly}
		}
	case Agent:
		if s.hasTranscript() {
			r.Messages = AgentMessages
		}
		if r.Conversation == "" {
			r.Conversation = s.text("gen_ai.thread.id") // of Azure's agents
		}
		switch {
		case s.scope == openLITAgents && s.text("gen_ai.agent.source", "gen_ai.guardrail.triggered") != "", // which runs no agent
			s.scope == copilotScope && s.span.Status().Message() == "Duplicate subagent.started": // the agent's other span has its calls
			*r = Reading{}
		case s.scope == openLITAgents && r.Agent == "":
			r.Role = Workflow // a task, or one of the turns of an agent, which has a span around them
			s.outermost(r)
		case s.scope == traceloopLangChainPy && strings.HasPrefix(s.span.Name(), "execute_task "):
			if *r = (Reading{}); s.traceloopTask() != "" {
				*r = Reading{Role: Agent, Agent: s.traceloopTask(), Conversation: s.conversation(traceloopConversations)}
			}
		case s.scope == traceloopLangChainPy && r.Agent == langGraphName:
			r.Role = Workflow
		case r.Agent == "" && strings.HasPrefix(s.scope, "opentelemetry.instrumentation.crewai"):
			r.Role = Workflow
			if s.marker(crewOutputs) != "" {
				r.Traits, r.Messages = r.Traits|MessagesOnly, CrewMessages
			}
		}
	}
}

// listedCalls adds the calls of a span that records several: AgentScope for Java writes one for each step. Only if the span says how many calls
// there are, commas separate names. All of them were answered when the span ended. Source: https://github.com/agentscope-ai/agentscope-java.
func (s *source) listedCalls(a *draft) {
	count, ok := s.attributes.Get("gen_ai.tool.call.count")
	if !ok || count.Int() < 2 {
		return
	}
	if s.askNamed(a); int64(len(a.Requests)) != count.Int() {
		a.Requests = nil
	}
	for i := range a.Requests {
		a.Requests[i].Arguments, a.Requests[i].Answered = scoring.Payload{}, true
		if s.scratch.want.Results {
			a.tell(ToolResult{ID: a.Requests[i].ID})
		}
	}
}

// conventionalCall completes a call whose fields are those of the conventions by what their followers do differently.
func (s *source) conventionalCall(r *Reading) {
	if r.CallID == "unknown" || r.CallID == adkNotSpecified { // of Microsoft Agent Framework, and ADK; as an ID, it would join all such calls
		r.CallID = ""
	}
	switch { // the span has no name of a tool, and the request with the ID has
	case r.Call.Name != executeTool:
	case r.CallID != "":
		r.Call.Name, r.Traits = "", r.Traits|ResultOnly
	default:
		r.Traits |= LostName
	}
	r.Call.Arguments = s.conventionalArguments(r.Call.Arguments)
	if r.Call.Arguments == (scoring.Payload{}) { // a processor of OpenInference's may put its own keys in place of the content
		r.Call.Arguments = s.openInferenceArguments()
	}
	if r.Call.Output == (scoring.Payload{}) {
		r.Call.Output = s.openInferenceValue(openInferenceOutput, openInferenceOutputType)
	}
	if s.others != 0 && s.marker(mcpMethod) == mcpCallTool {
		r.ofMCP()
	}
	switch s.scope {
	case "opentelemetry.instrumentation.genai.dspy":
		// It writes the arguments by the parameters of the tool's function. One that takes any arguments has one parameter for them.
		// Source: https://github.com/open-telemetry/opentelemetry-python-genai, instrumentation.
		r.setArguments(unwrapFunction(r.Call.Arguments, hasExactly, "kwargs"))
	case traceloopLangChainPy: // whose callback's input the normalizer may put in the place of the arguments
		r.Call.Arguments = unwrapCallback(r.Call.Arguments)
	case copilotScope: // whose runtime hands on each event twice, so a call has two spans, and only the second has the outcome
		if s.text(errorType) == "denied" {
			r.Traits |= NotMade
		}
		if !r.Call.Output.Captured() && r.Call.Status == scoring.StatusUnset {
			r.Traits |= ResultOnly
		}
	case "semantic_kernel.functions.kernel_function": // which writes what Python shows of a result
		if v, ok := s.attributes.Get(genAIResult); ok && !s.wrapped {
			r.Call.Output = pythonText(v)
		}
	}
	if !s.takesMessage(r) && !s.wrapped {
		r.Call.Output = contentList(r.Call.Output)
	}
	if s.marker(koogEvent) != "" && s.text(genAIToolDescription) == "" && r.Call.Output == scoring.JSON("{}") { // Koog describes each tool that there is
		r.Traits |= UnknownTool
	}
}

// ofMCP marks a call of MCP. The client of the SDK for Python names the span after the method, and what sends it.
func (r *Reading) ofMCP() {
	r.Traits |= MCP
	if _, tool, ok := strings.Cut(r.Call.Name, "MCP send tools/call "); ok && tool != "" {
		r.Call.Name = tool
	}
}

// conventionalArguments are the arguments under the conventions' keys, which were read, or those of Google's instrumentation.
func (s *source) conventionalArguments(read scoring.Payload) scoring.Payload {
	switch {
	case read == scoring.JSON("None") && s.scope == agentFramework: // which writes Python's None for a call without arguments
		return scoring.JSON("{}")
	case read == scoring.Payload{}:
		return s.googleArguments()
	case read.Look(isGoogleNested) && s.isGoogleGenAI():
		return googleNested(read)
	}
	return read
}

func mcpExceptions(s *source, r *Reading) {
	r.ofMCP()
	r.Call.Arguments = r.Call.Arguments.Or(s.mcpArguments())
}

// mcpArguments joins arguments that are in one attribute each, with the name in lower case and the value as JSON text. If there is none, the
// call had no arguments or they were not captured. If one was cut off, the others are not all that is compared.
func (s *source) mcpArguments() scoring.Payload {
	var b []byte
	for key, v := range s.attributes.All() {
		name, ok := strings.CutPrefix(key, "mcp.request.argument.")
		if !ok || name == "" || v.Type() != pcommon.ValueTypeStr {
			continue
		}
		argument, _ := scoring.JSON(v.Str()).Value()
		if isCutOff(v.Str()) || strings.HasPrefix(v.Str(), `"`) && argument.Text() == v.Str() {
			return scoring.TooLarge()
		}
		b = appendValue(appendName(b, name), argument)
	}
	return closed(b)
}

// appendName begins the next member of an object, and the object if it is the first.
func appendName(b []byte, name string) []byte {
	before := byte(',')
	if len(b) == 0 {
		before = '{'
	}
	return append(attributes.AppendString(append(b, before), name), ':')
}

// closed is the object that appendName began, or nothing captured if it was never begun.
func closed(b []byte) scoring.Payload {
	if len(b) == 0 {
		return scoring.Payload{}
	}
	return scoring.JSON(string(append(b, '}')))
}

// OpenTelemetry's instrumentation of Google's Gen AI SDK for Python. It follows the conventions, and describes each argument of the Python function
// separately: as attributes, in newer versions as members of one object. Source: https://github.com/open-telemetry/opentelemetry-python-contrib and,
// for newer versions, https://github.com/open-telemetry/opentelemetry-python-genai.
const googleParameter = "code.function.parameters." // followed by the argument's name and type or value

// isGoogleGenAI reports whether that instrumentation wrote the span of a call. Some versions write it in the scope of a module
// that other instrumentations use as well. These say the call's ID or the tool's type.
func (s *source) isGoogleGenAI() bool {
	return strings.Contains(s.scope, "google_genai") || s.scope == "opentelemetry.util.genai.handler" && s.text(genAICallID, genAIToolType) == ""
}

func isGoogleNested(text string) bool { return strings.HasPrefix(text, `{"`+googleParameter) }

// googleNested joins arguments that are described in one object. Members of another form are a model's own, so then all stays as it is.
func googleNested(p scoring.Payload) scoring.Payload {
	var arguments []byte
	var text string // the argument whose value is a text: a type stands before its value
	described, _ := p.Value()
	for key, v := range described.Members() {
		described, _ := cutKey(key, googleParameter)
		switch name, about := cutLast(described, '.'); {
		case name == "", about != "type" && about != "value":
			return p
		case about == "value":
			// What JSON has no type for is written as Python writes it.
			if list, _ := pythonLiteral("[" + v.Text() + "]").Value(); name != text && list.Len() == 1 {
				v = head(list)
			}
			arguments = appendValue(appendName(arguments, name), v)
		case v.Text() == "str":
			text = name
		}
	}
	return closed(arguments)
}

// googleArguments joins arguments that are described in attributes.
func (s *source) googleArguments() scoring.Payload {
	var described []byte
	for key, v := range s.attributes.All() {
		if _, is := cutKey(key, googleParameter); is && (strings.HasSuffix(key, ".type") || strings.HasSuffix(key, ".value")) {
			described, _ = attributes.AppendJSON(appendName(described, key), v)
		}
	}
	if described == nil && s.text("code.args.positional.count") == "0" && s.text("code.args.keyword.count") == "0" {
		return scoring.JSON("{}")
	}
	return googleNested(closed(described))
}

const (
	adkScope        = "gcp.vertex.agent"
	adkArguments    = "gcp.vertex.agent.tool_call_args" // JSON text
	adkResponse     = "gcp.vertex.agent.tool_response"  // JSON text, always an object
	adkCallModel    = "call_llm"                        // the name of a span
	adkRustSubAgent = "agent_tool.name"
	adkNotSpecified = "<not specified>"
)

var adkSpans = []meaning{
	{"invocation", Workflow}, {adkCallModel, ModelCall}, {"execute_tool *", ToolCall},
	{"invoke_agent *", Agent}, {"agent_run [*", Agent}, // the latter until the middle of 2025
}

// adkRole goes by the span's name where there is no operation. The conventions know the rest, among it what newer versions write.
func adkRole(s *source) (Role, bool) {
	if s.marker(genAIOperation) != "" {
		return genAIRole(s)
	}
	role, known := roleIn(adkSpans, s.span.Name())
	return role, known || s.marker(openInferenceKind) == ""
}

// adkExceptions: some versions write a tool's attributes after the tool has returned. So a span without attributes is a call that failed.
func adkExceptions(s *source, r *Reading) {
	if r.Role == ModelCall && s.span.Name() != adkCallModel {
		r.Messages = GenAIMessages
	}
	if r.Role != ToolCall {
		return
	}
	if s.marker(genAIOperation) == "" {
		*r = Reading{Role: ToolCall, Call: scoring.Call{Name: r.Call.Name, Status: scoring.StatusFailed}}
		return
	}
	// Without content both are {}. A tool that really takes and returns nothing is rare enough to be misread.
	arguments, output := decodedTwice(s.payload(adkArguments)), s.payload(adkResponse)
	none, empty := scoring.Payload{}, scoring.JSON("{}")
	if (arguments == none || arguments == empty) && (output == none || output == empty) {
		return
	}
	if arguments != scoring.JSON("<not serializable>") {
		r.Call.Arguments = arguments.Or(r.Call.Arguments)
	}
	r.Call.Output = adkResult(output).Or(r.Call.Output)
}

// isADKPlaceholder reports whether the span of a call is the joined response of several, whatever its scope: an instrumentation may put its own in
// place of ADK's. A server may give a tool any name; but the joined response has the ID of its event, while a call has its own.
func (s *source) isADKPlaceholder(name string) bool {
	if name != "(merged tools)" && name != "(merged)" {
		return false
	}
	event, id := s.text("gcp.vertex.agent.event_id"), s.text(conventions.id...) // which the SDK for Go left out
	return event != "" && (id == event || id == "")
}

// isADKUnknown reports whether there is no such tool. For a name that the model made up, ADK makes a tool of its base class. Tools of
// applications and servers have classes of their own. The SDK for Go writes no class, but that the call failed.
func (s *source) isADKUnknown(r *Reading) bool {
	if s.scope != adkScope && s.text("gcp.vertex.agent.event_id") == "" {
		return false
	}
	class := s.marker(genAIToolType)
	return (class == "BaseTool" || class == "" && r.Call.Status == scoring.StatusFailed) && s.marker(genAIToolDescription) == "Tool not found"
}

// adkResult unwraps {"result": ...}, which ADK puts around whatever is no object. An object inside was the tool's own doing, and stays.
func adkResult(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	result := at(v, "result")
	switch {
	case !hasExactly(v, "result") || result.Kind() == scoring.Object:
		return p
	case result.Text() == adkNotSpecified:
		return scoring.Payload{}
	}
	return scoring.JSON(string(appendValue(nil, result)))
}

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

package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/mask"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenTelemetry's semantic conventions for generative AI, versions 1.31 and later.
//
// Source: https://github.com/open-telemetry/semantic-conventions, docs/gen-ai/gen-ai-agent-spans.md and
// docs/registry/attributes/gen-ai.md; MCP: docs/gen-ai/mcp.md.
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
	genAIWorkflow        = "gen_ai.workflow.name"
	genAIModel           = "gen_ai.request.model"
	genAIConversation    = "gen_ai.conversation.id"
	errorType            = "error.type"
)

// Values of gen_ai.operation.name, each also the first word of the span's name.
const (
	executeTool    = "execute_tool"
	executeTask    = "execute_task"
	invokeAgent    = "invoke_agent"
	invokeWorkflow = "invoke_workflow"
	chat           = "chat"
	generate       = "generate_content"
)

// readGenAI knows three operations, and model responses. It leaves all others to the dialects after it, because an
// instrumentation may well set gen_ai.operation.name on spans that it describes in its own keys. The creation of an agent
// runs none, and a handoff calls no tool.
func readGenAI(s source) (Reading, bool) {
	if s.isRenamed() {
		return Reading{}, false
	}
	switch s.marker(genAIOperation) {
	case executeTool:
		r := s.genAICall()
		if s.isADKPlaceholder(r.Call.Name) {
			return Reading{}, true
		}
		return r, true
	case invokeAgent:
		return s.genAIAgent(), true
	case invokeWorkflow:
		return Reading{
			Role:         Workflow,
			Agent:        s.genAIName(genAIWorkflow, invokeWorkflow),
			Conversation: s.genAIConversation(),
		}, true
	case chat, generate:
		return s.genAIModelCall(), true
	}
	return Reading{}, false
}

// genAIAgent reads the span of an agent. OpenLLMetry's instrumentation of CrewAI also marks a crew and its tasks as agents,
// but only the agent has a name. Its instrumentation of LangChain marks a graph as an agent. A graph has the name of its
// class, unless the application named it.
//
// Source: https://github.com/traceloop/openllmetry, packages/opentelemetry-instrumentation-crewai.
func (s *source) genAIAgent() Reading {
	if s.scope == traceloopLangChainPy {
		if _, isTask := nameAfter(s.span.Name(), executeTask); isTask {
			return s.traceloopTask() // which the collector's gen_ai_normalizer calls an agent
		}
	}
	r := Reading{
		Role:         Agent,
		Agent:        s.genAIName(genAIAgentName, invokeAgent),
		Conversation: s.genAIConversation(),
	}
	switch {
	case r.Agent == langGraphName && s.scope == traceloopLangChainPy:
		r.Role = Workflow
	case r.Agent == "" && strings.HasPrefix(s.scope, traceloopCrewAI):
		r.Role = Workflow
		if s.marker(crewOutputs) != "" {
			r.Traits, r.Messages = r.Traits|MessagesOnly, CrewMessages
		}
	}
	return r
}

// isConventional reports whether the span names its operation by the conventions. Then they decide, even if another SDK gave
// the span its own general type.
func (s *source) isConventional() bool {
	switch s.marker(genAIOperation) {
	case executeTool, invokeAgent, invokeWorkflow, chat, generate:
		return true
	}
	return false
}

func (s *source) genAIModelCall() Reading {
	return Reading{
		Role:         ModelCall,
		Conversation: s.genAIConversation(),
		Messages:     GenAIMessages,
		Traits:       messagesOnlyUnless(s.scope),
	}
}

func (s *source) genAIConversation() string {
	return s.text(genAIConversation, sessionID, vercelContext)
}

func (s *source) genAICall() Reading {
	r := Reading{
		Role:         ToolCall,
		Conversation: s.genAIConversation(),
		CallID:       s.genAICallID(),
		Call: scoring.Call{
			Name:   s.genAIToolName(),
			Output: s.visible(genAIResult, sentryOutput, vercelResult, googleReturn),
			Status: s.genAIStatus(),
		},
	}
	r.setArguments(s.genAIArguments())
	if s.found&openInferenceMarker != 0 && s.marker(openInferenceKind) == "TOOL" {
		s.addOpenInference(&r.Call)
	}
	if s.found&mcpMarker != 0 && s.marker(mcpMethod) == mcpCallTool {
		r.Traits |= MCP
	}
	if s.scope == dspyGenAIScope { // which names the parameter that takes all arguments
		r.setArguments(wrapped.Function(r.Call.Arguments, wrapped.Kwargs))
	}
	if s.scope == traceloopLangChainPy { // whose callback's input the normalizer may put in the place of the arguments
		r.Call.Arguments = wrapped.Callback(r.Call.Arguments)
	}
	s.unwrap(&r)
	if s.lacksTool(&r.Call) {
		r.Traits |= UnknownTool
	}
	return r
}

// addOpenInference adds what a processor of OpenInference's wrote in place of the content that was there.
func (s *source) addOpenInference(call *scoring.Call) {
	if call.Arguments == (scoring.Payload{}) {
		call.Arguments = s.openInferenceArguments()
	}
	if call.Output == (scoring.Payload{}) {
		call.Output = s.openInferenceResult()
	}
}

// lacksTool reports whether a call failed without an output, and nothing describes its tool. OpenTelemetry's own
// instrumentations describe each tool that there is.
func (s *source) lacksTool(call *scoring.Call) bool {
	return call.Status == scoring.StatusFailed && strings.HasPrefix(s.scope, openTelemetryModule+"genai.") &&
		call.Output == (scoring.Payload{}) && s.text(genAIToolType, genAIToolDescription) == ""
}

// unwrap removes the wrapper of a framework or of MCP from a result.
func (s *source) unwrap(r *Reading) {
	if r.Call.Output == (scoring.Payload{}) {
		return
	}
	if writesToolMessages(s.scope) {
		if message, ok := readToolMessage(r.Call.Output); ok {
			*r = r.withMessage(message)
			return
		}
	}
	if !s.wrapped {
		r.Call.Output = contentList(r.Call.Output)
	}
}

func (s *source) genAICallID() string {
	id := s.text(genAICallID)
	if id == agentFrameworkUnknownID {
		return ""
	}
	return id
}

// genAIStatus also takes an error's type for a failure: the conventions let a span name it and leave its status unset.
func (s *source) genAIStatus() scoring.CallStatus {
	if s.text(errorType) != "" {
		return scoring.StatusFailed
	}
	return s.status()
}

// genAIToolName falls back to the span's name, which is "execute_tool X", in MCP "tools/call X", and in some
// instrumentations the tool's name alone.
func (s *source) genAIToolName() string {
	if name := s.text(genAIToolName); name != "" {
		return name
	}
	name := s.spanName()
	for _, operation := range [...]string{executeTool, mcpCallTool} {
		if tool, ok := nameAfter(name, operation); ok {
			return tool
		}
	}
	if _, tool, ok := strings.Cut(name, mcpSends+mcpCallTool+" "); ok && tool != "" && s.found&mcpMarker != 0 {
		return tool
	}
	return name
}

// genAIName is the name of an agent or a workflow, or the rest of a span name like "invoke_agent X". Vercel AI SDK 7
// puts the model there when the agent has no name, and a model is no agent.
func (s *source) genAIName(key, operation string) string {
	if name := s.text(key); name != "" {
		return name
	}
	name, ok := nameAfter(s.spanName(), operation)
	if !ok || name == s.text(genAIModel) {
		return ""
	}
	return name
}

func (s *source) genAIArguments() (arguments scoring.Payload, unnamed bool) {
	switch text := s.marker(genAIArguments); {
	case text == agentFrameworkNone && s.scope == agentFramework:
		return scoring.JSON("{}"), false
	case strings.HasPrefix(text, `{"`+googleParameter) && s.isGoogleGenAI():
		return googleNested(text)
	}
	if p := s.visibleArguments(genAIArguments, sentryInput, vercelArguments); p != (scoring.Payload{}) {
		return p, false
	}
	return s.googleArguments()
}

// nameAfter is what follows the operation in a span name, if anything does.
func nameAfter(spanName, operation string) (string, bool) {
	name, ok := strings.CutPrefix(spanName, operation+" ")
	return name, ok && name != ""
}

// Habits of instrumentations that otherwise follow the conventions.
const (
	// Microsoft Agent Framework writes Python's None for a call without arguments, and this for a call without an id. As an
	// id, it would join all such calls. Source: https://github.com/microsoft/agent-framework,
	// python/packages/core/agent_framework/observability.py.
	agentFrameworkNone      = "None"
	agentFrameworkUnknownID = "unknown"
	// Sentry's SDKs wrote these before the conventions had keys for arguments and results.
	// Source: https://github.com/getsentry/sentry-javascript, packages/core/src/tracing/vercel-ai/index.ts;
	// https://github.com/getsentry/sentry-python, sentry_sdk/consts.py.
	sentryInput  = "gen_ai.tool.input"
	sentryOutput = "gen_ai.tool.output"
)

// visible returns the payload under the first of keys that has one, except for placeholders of hidden content.
func (s *source) visible(keys ...string) scoring.Payload {
	p := s.payload(keys...)
	if p.Look(mask.Is) {
		return scoring.Payload{}
	}
	return p
}

// visibleArguments is visible for arguments. "N/A" is a placeholder too: no call has that as its arguments, whereas a tool
// may well return it.
func (s *source) visibleArguments(keys ...string) scoring.Payload {
	p := s.visible(keys...)
	if p == scoring.JSON("N/A") {
		return scoring.Payload{}
	}
	return p
}

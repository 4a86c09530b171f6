package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenTelemetry's semantic conventions for generative AI, versions 1.31 and later.
//
// Source: https://github.com/open-telemetry/semantic-conventions, docs/gen-ai/gen-ai-agent-spans.md and
// docs/registry/attributes/gen-ai.md; MCP: docs/gen-ai/mcp.md.
const (
	genAIOperation    = "gen_ai.operation.name"
	genAIToolName     = "gen_ai.tool.name"
	genAICallID       = "gen_ai.tool.call.id"
	genAIArguments    = "gen_ai.tool.call.arguments" // a structured value where the SDK can, else JSON text
	genAIResult       = "gen_ai.tool.call.result"    // likewise
	genAIOutput       = "gen_ai.output.messages"
	genAIAgentName    = "gen_ai.agent.name"
	genAIWorkflow     = "gen_ai.workflow.name"
	genAIModel        = "gen_ai.request.model"
	genAIConversation = "gen_ai.conversation.id"
	errorType         = "error.type"
	mcpMethod         = "mcp.method.name"
)

// Values of gen_ai.operation.name, each also the first word of the span's name, and of mcp.method.name.
const (
	executeTool    = "execute_tool"
	invokeAgent    = "invoke_agent"
	invokeWorkflow = "invoke_workflow"
	chat           = "chat"
	generate       = "generate_content"
	mcpCallTool    = "tools/call"
)

// readGenAI knows three operations, and the answers of models. It leaves all others to the dialects after it, because
// an instrumentation may well set gen_ai.operation.name on spans that it describes in its own keys.
func readGenAI(s source) (Reading, bool) {
	switch s.marker(genAIOperation) {
	case executeTool:
		return s.genAICall(), true
	case invokeAgent:
		return Reading{
			Role:         Agent,
			Agent:        s.genAIName(genAIAgentName, invokeAgent),
			Conversation: s.genAIConversation(),
		}, true
	case invokeWorkflow:
		return Reading{
			Role:         Workflow,
			Agent:        s.genAIName(genAIWorkflow, invokeWorkflow),
			Conversation: s.genAIConversation(),
		}, true
	case chat, generate:
		r := modelCall(s.genAIAsked())
		return r, r.Role == ModelCall
	}
	return Reading{}, false
}

func (s source) genAIConversation() string {
	return s.text(genAIConversation, sessionID, vercelContext)
}

func (s source) genAICall() Reading {
	name := s.genAIToolName()
	if name == adkMergedTools {
		return Reading{}
	}
	return Reading{
		Role:         ToolCall,
		Conversation: s.genAIConversation(),
		CallID:       s.genAICallID(),
		Call: scoring.Call{
			Name:      name,
			Arguments: s.genAIArguments(),
			Output:    s.payload(genAIResult),
			Status:    s.genAIStatus(),
		},
	}
}

func (s source) genAICallID() string {
	id := s.text(genAICallID)
	if id == agentFrameworkUnknownID {
		return ""
	}
	return id
}

// genAIStatus also takes an error's type for a failure: the conventions let a span name it and leave its status unset.
func (s source) genAIStatus() scoring.CallStatus {
	if s.text(errorType) != "" {
		return scoring.StatusFailed
	}
	return s.status()
}

// genAIToolName falls back to the span's name, which is "execute_tool X", in MCP "tools/call X", and in some
// instrumentations the tool's name alone.
func (s source) genAIToolName() string {
	if name := s.text(genAIToolName); name != "" {
		return name
	}
	name := s.spanName()
	for _, operation := range [...]string{executeTool, mcpCallTool} {
		if tool, ok := nameAfter(name, operation); ok {
			return tool
		}
	}
	return name
}

// genAIName is the name of an agent or a workflow, or the rest of a span name like "invoke_agent X". Vercel AI SDK 7
// puts the model there when the agent has no name, and a model is no agent.
func (s source) genAIName(key, operation string) string {
	if name := s.text(key); name != "" {
		return name
	}
	name, ok := nameAfter(s.spanName(), operation)
	if !ok || name == s.text(genAIModel) {
		return ""
	}
	return name
}

func (s source) genAIArguments() scoring.Payload {
	v, ok := s.attributes.Get(genAIArguments)
	if ok && v.Type() == pcommon.ValueTypeStr && v.Str() == agentFrameworkNone {
		return scoring.Omitted()
	}
	return s.payload(genAIArguments)
}

// nameAfter is what follows the operation in a span name, if anything does.
func nameAfter(spanName, operation string) (string, bool) {
	name, ok := strings.CutPrefix(spanName, operation+" ")
	return name, ok && name != ""
}

// Habits of instrumentations that otherwise follow the conventions.
const (
	// Google ADK adds a span for the joined answer of parallel calls. Each of those calls has its own span.
	// Source: https://github.com/google/adk-python, src/google/adk/telemetry/tracing.py.
	adkMergedTools = "(merged tools)"
	// Microsoft Agent Framework writes Python's None for a call without arguments, and this for a call without an id:
	// taken as an id, it would make all such calls one.
	// Source: https://github.com/microsoft/agent-framework, python/packages/core/agent_framework/observability.py.
	agentFrameworkNone      = "None"
	agentFrameworkUnknownID = "unknown"
)

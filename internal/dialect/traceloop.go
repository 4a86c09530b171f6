package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenLLMetry by Traceloop: the decorators of its SDKs and its instrumentations of frameworks.
//
// Source: https://github.com/traceloop/openllmetry, packages/traceloop-sdk/traceloop/sdk/decorators/base.py,
// packages/opentelemetry-instrumentation-{langchain,mcp,openai-agents,agno}; and
// https://github.com/traceloop/openllmetry-js, packages/traceloop-sdk/src/lib/tracing/decorators.ts,
// packages/instrumentation-{langchain,mcp}/src.
const (
	traceloopKind     = "traceloop.span.kind"
	traceloopName     = "traceloop.entity.name"
	traceloopInput    = "traceloop.entity.input"
	traceloopOutput   = "traceloop.entity.output"
	traceloopWorkflow = "traceloop.workflow.name"
	// Of LangChain's metadata.
	traceloopAgent          = "traceloop.association.properties.lc_agent_name"
	traceloopNode           = "traceloop.association.properties.langgraph_node"
	traceloopSession        = "traceloop.association.properties.session_id" // the application chooses the last word;
	traceloopConversationID = "traceloop.association.properties.conversation_id"
	traceloopThread         = "traceloop.association.properties.thread_id" // these three are the usual ones
)

const (
	traceloopLangChainJS = "@traceloop/instrumentation-langchain"
	traceloopLangChainPy = "opentelemetry.instrumentation.langchain"
	traceloopMCPJS       = "@traceloop/instrumentation-mcp"
	traceloopMCPPy       = "opentelemetry.instrumentation.mcp" // the names of its modules begin so
	traceloopAgno        = "opentelemetry.instrumentation.agno"
	traceloopCrewAI      = "opentelemetry.instrumentation.crewai"
	traceloopJS          = "@traceloop/"      // and those of all packages for JavaScript so
	traceloopPy          = "traceloop.tracer" // the SDK's decorators
)

// readTraceloop recognizes all kinds but those of model calls, which have none and are read as OpenTelemetry's. A session is
// MCP's connection and a server its other end: the spans below them record the calls.
func readTraceloop(s source) (Reading, bool) {
	switch s.traceloopSpanKind() {
	case "tool":
		return s.traceloopCall(), true
	case "agent":
		return s.traceloopGroup(Agent, ".agent"), true
	case "workflow":
		if s.scope == traceloopLlamaIndex {
			return s.llamaIndexWorkflow(), true
		}
		return s.traceloopWorkflow(), true
	case "task":
		if s.scope == traceloopLlamaIndex && s.marker(genAIOperation) == "" {
			return s.llamaIndexTask(), true
		}
		// LangChain's instrumentation for JavaScript calls a tool a task.
		if s.marker(genAIOperation) == executeTool {
			return s.traceloopCall(), true
		}
		return s.traceloopTask(), true
	case "session", "server":
		return Reading{Role: Session}, true
	}
	return Reading{}, false
}

func isTraceloop(scope string) bool {
	return strings.HasPrefix(scope, traceloopJS) || scope == traceloopPy
}

// traceloopSpanKind is the span's kind, or the one that the collector's gen_ai_normalizer made an operation of. It
// calls tasks and agents alike; the decorators end a span's name with the kind.
//
// Source: https://github.com/open-telemetry/opentelemetry-collector-contrib, processor/genainormalizerprocessor:
// internal/openllmetry/mappings.go and valuemappings.go.
func (s *source) traceloopSpanKind() string {
	if kind := s.marker(traceloopKind); kind != "" || !isTraceloop(s.scope) {
		return kind
	}
	switch operation := s.marker(genAIOperation); operation {
	case executeTool:
		return "tool"
	case invokeWorkflow:
		return "workflow"
	case invokeAgent:
		if strings.HasSuffix(s.span.Name(), ".task") {
			return "task"
		}
		return "agent"
	case "session", "server":
		return operation
	}
	return ""
}

func (s *source) traceloopGroup(role Role, suffix string) Reading {
	name := s.text(traceloopName, genAIAgentName, traceloopWorkflow)
	if name == "" {
		name = strings.TrimSuffix(s.spanName(), suffix)
	}
	return Reading{Role: role, Agent: name, Conversation: s.traceloopConversation()}
}

// traceloopWorkflow leaves out the chains that LangChain runs inside of a graph. Its instrumentation for JavaScript makes a
// workflow of every chain, and puts each into a trace of its own.
func (s *source) traceloopWorkflow() Reading {
	r := s.traceloopGroup(Workflow, ".workflow")
	if s.scope != traceloopLangChainJS {
		return r
	}
	switch {
	case s.marker(genAIOperation) == invokeAgent:
		r.Role = Agent
	case strings.HasPrefix(r.Agent, "__"), strings.HasPrefix(r.Agent, "Runnable"), isGraphNode(r.Agent):
		return Reading{}
	}
	return r
}

// traceloopTask finds the agents of LangChain that run inside of others: their spans are of no particular kind.
func (s *source) traceloopTask() Reading {
	name := s.text(traceloopName)
	if name == "" {
		name, _ = nameAfter(s.span.Name(), executeTask)
	}
	if !runsAgent(name, s.text(traceloopAgent), s.text(traceloopNode)) {
		return Reading{}
	}
	return Reading{Role: Agent, Agent: name, Conversation: s.traceloopConversation()}
}

func (s *source) traceloopConversation() string {
	return s.text(genAIConversation, traceloopSession, traceloopConversationID, traceloopThread, sessionID)
}

func (s *source) traceloopCall() Reading {
	r := Reading{
		Role:         ToolCall,
		Conversation: s.traceloopConversation(),
		CallID:       s.text(genAICallID),
		Call: scoring.Call{
			Name:   s.traceloopToolName(),
			Status: s.genAIStatus(),
		},
	}
	r.setArguments(s.traceloopArguments())
	if s.isTraceloopMCP() {
		r.Traits |= MCP
	}
	if s.scope == traceloopLangChainJS {
		r = r.loneText()
	}
	return s.traceloopResult(r)
}

// traceloopArguments undoes the form that an instrumentation or a decorator writes. The conventions' key has what the model
// wrote, except in LangChain's instrumentation for Python. So has every key of other frameworks, except LlamaIndex.
func (s *source) traceloopArguments() (named scoring.Payload, unnamed bool) {
	arguments, input := s.payload(genAIArguments), s.payload(traceloopInput, genAIInput)
	switch {
	case s.scope == traceloopLangChainPy:
		return wrapped.Callback(arguments.Or(input)), false
	case arguments != (scoring.Payload{}):
		return arguments, false
	case s.isTraceloopMCP():
		return wrapped.Request(input), false
	case s.scope == traceloopLangChainJS:
		return wrapped.Input(input)
	case strings.HasPrefix(s.scope, openTelemetryModule) && s.scope != traceloopLlamaIndex:
		return input, false
	}
	return wrapped.Function(input, wrapped.Args, wrapped.Kwargs)
}

// loneText finds the one text that LangChain gave to a tool whose arguments are no object. Objects were found before.
func (r Reading) loneText() Reading {
	v, _ := r.Call.Arguments.Value()
	args, _ := v.Member(wrapped.Args)
	if args.Len() != 1 || !wrapped.HasOnly(v, wrapped.Args) {
		return r
	}
	for arg := range args.Elements() {
		if arg.Kind() == scoring.String {
			r.Call.Arguments = scoring.Text(arg.Text())
			r.Traits |= UnnamedArgument
		}
	}
	return r
}

// traceloopResult reads from the output of LangChain's and MCP's instrumentations what the span lacks otherwise. LangChain
// for JavaScript names the span after the tool's class, and only the message has the tool's name.
func (s *source) traceloopResult(r Reading) Reading {
	r.Call.Output = s.payload(genAIResult, traceloopOutput, genAIOutput)
	switch {
	case s.scope == traceloopAgno:
		return s.agnoResult(r)
	case writesToolMessages(s.scope):
		return s.traceloopMessage(r)
	case r.Traits.Has(MCP):
		output, failed := mcpResult(r.Call.Output)
		r.Call.Output = output
		if failed {
			r.Call.Status = scoring.StatusFailed
		}
	}
	return r
}

func (s *source) traceloopMessage(r Reading) Reading {
	message, ok := readToolMessage(r.Call.Output)
	if !ok {
		r.Call.Output = callbackOutput(r.Call.Output)
		return r
	}
	if message.name != "" && s.namesClass(r.Call.Name) {
		r.Call.Name = message.name
	}
	return r.withMessage(message)
}

// namesClass reports whether a span of LangChain for JavaScript has no tool's name, but that of the tool's class or "unknown".
// The name of a class begins with a capital letter.
func (s *source) namesClass(name string) bool {
	return s.scope == traceloopLangChainJS && s.text(genAIToolName) == "" &&
		(name == "unknown" || name != "" && name[0] >= 'A' && name[0] <= 'Z')
}

func (s *source) traceloopToolName() string {
	if name := s.text(genAIToolName, traceloopName); name != "" {
		return name
	}
	name := s.spanName()
	if tool, ok := nameAfter(name, executeTool); ok {
		return tool
	}
	if tool := strings.TrimSuffix(name, ".tool"); tool != "" {
		return tool
	}
	return name
}

// callbackOutput unwraps what LangChain for Python hands to its callback, if that is no message.
func callbackOutput(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if !wrapped.HasOnly(v, messageOutput, wrapped.Kwargs) || v.Len() < 2 {
		return p
	}
	output, _ := v.Member(messageOutput)
	return wrapped.PayloadOf(output)
}

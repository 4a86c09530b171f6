package dialect

import (
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	traceloopKind     = "traceloop.span.kind"
	traceloopName     = "traceloop.entity.name"
	traceloopOutput   = "traceloop.entity.output"
	traceloopWorkflow = "traceloop.workflow.name"

	// How the spans of tools, which LangChain's metadata follows, and scopes are named.
	traceloopProperties  = "traceloop.association.properties." // the application chooses the last word
	traceloopLangChainJS = "@traceloop/instrumentation-langchain"
	traceloopLangChainPy = "opentelemetry.instrumentation.langchain"
	traceloopMCPPy       = "opentelemetry.instrumentation.mcp" // the names of its modules begin so
	traceloopJS          = "@traceloop/"                       // and those of all packages for JavaScript so
	traceloopPy          = "traceloop.tracer"                  // the SDK's decorators
)

// traceloopRole recognizes all kinds but those of model calls. A session is MCP's connection and a server its other end: the spans below them
// record the calls. LangChain's instrumentation for JavaScript calls a tool a task, and makes a workflow of every chain, each in a trace of
// its own; the chains that LangChain runs inside of a graph are left out.
func traceloopRole(s *source) (Role, bool) {
	kind := s.traceloopSpanKind()
	switch kind {
	case "workflow":
		if s.scope != traceloopLangChainJS {
			return Workflow, true
		}
		switch name := s.nameIn(traceloopWorkflows); {
		case s.marker(genAIOperation) == invokeAgent:
			return Agent, true
		case strings.HasPrefix(name, "__"), strings.HasPrefix(name, "Runnable"), slices.Contains(graphNodes, name):
			return Nothing, true
		}
		return Workflow, true
	case "task":
		switch {
		case s.marker(genAIOperation) == executeTool, strings.HasPrefix(s.span.Name(), executeTool+" "): // the former may be overwritten
			return ToolCall, true
		case s.isLlamaIndexTask():
			if s.text(openInferenceToolName) == "" {
				return Nothing, true // another part of an agent
			}
			return ToolCall, true
		}
		_, role := s.traceloopTask()
		return role, true
	}
	return roleIn(traceloopKinds, kind)
}

var traceloopKinds = []meaning{{"tool", ToolCall}, {"agent", Agent}, {"session", Session}, {"server", Session}}

var traceloopWorkflows = names{[]string{traceloopName, genAIAgentName, traceloopWorkflow}, []string{"*.workflow", "*"}}

// traceloopSpanKind is the span's kind, or the one that the collector's gen_ai_normalizer made an operation of. It
// calls tasks and agents alike; the decorators end a span's name with the kind.
//
// Source: https://github.com/open-telemetry/opentelemetry-collector-contrib, processor/genainormalizerprocessor:
// internal/openllmetry/mappings.go and valuemappings.go.
func (s *source) traceloopSpanKind() string {
	if kind := s.marker(traceloopKind); kind != "" || !strings.HasPrefix(s.scope, traceloopJS) && s.scope != traceloopPy {
		return kind
	}
	switch operation := s.marker(genAIOperation); operation {
	case executeTool:
		return "tool"
	case invokeWorkflow:
		return "workflow"
	case invokeAgent:
		if name := s.span.Name(); strings.HasSuffix(name, ".task") || strings.HasPrefix(name, executeTool+" ") {
			return "task"
		}
		return "agent"
	case "session", "server":
		return operation
	}
	return ""
}

// traceloopTask finds the agents of LangChain that run inside of others: their spans are of no particular kind.
func (s *source) traceloopTask() (name string, role Role) {
	if name = s.text(traceloopName); name == "" {
		name, _ = nameAfter(s.span.Name(), executeTask)
	}
	if runsAgent(name, s.text(traceloopProperties+lcAgentName), s.text(traceloopProperties+langGraphNode)) {
		return name, Agent
	}
	return "", Nothing
}

var traceloopConversations = []string{
	genAIConversation, traceloopProperties + "session_id", traceloopProperties + "conversation_id", traceloopProperties + "thread_id", sessionID,
}

func traceloopExceptions(s *source, r *Reading) {
	switch {
	case s.scope == traceloopLlamaIndex && r.Role == Workflow:
		s.llamaIndexWorkflow(r)
		return
	case s.isLlamaIndexTask() && r.Role == ToolCall:
		s.llamaIndexCall(r)
		return
	case r.Role == Agent && s.traceloopSpanKind() == "task":
		r.Agent, _ = s.traceloopTask()
		return
	case r.Role != ToolCall:
		return
	}
	r.setArguments(s.traceloopArguments(r.Call.Arguments))
	switch {
	case s.isTraceloopMCP():
		r.Traits |= MCP
		r.unwrapMCP()
	case s.scope == "opentelemetry.instrumentation.agno":
		s.agnoResult(r)
	case writesToolMessages(s.scope):
		s.traceloopMessage(r)
	}
}

// traceloopArguments undoes the form that an instrumentation or a decorator writes. The conventions' key has what the model
// wrote, except in LangChain's instrumentation for Python. So has every key of other frameworks, except LlamaIndex.
func (s *source) traceloopArguments(arguments scoring.Payload) (named scoring.Payload, unnamed bool) {
	input := decodedTwice(s.payload("traceloop.entity.input", genAIInput))
	switch {
	case s.scope == traceloopLangChainPy:
		return unwrapCallback(arguments.Or(input)), false
	case arguments != (scoring.Payload{}):
		return arguments, false
	case s.isTraceloopMCP():
		return unwrapRequest(input), false
	case s.scope == traceloopLangChainJS:
		return unwrapInput(input)
	case strings.HasPrefix(s.scope, openTelemetryModule) && s.scope != traceloopLlamaIndex:
		return input, false
	case s.scope == "": // some backends drop scopes
		input = unwrapCallback(input)
	}
	return unwrapFunction(input, "args", "kwargs")
}

// traceloopMessage reads from the output of LangChain's instrumentations what the span lacks otherwise. LangChain for JavaScript names the
// span after the tool's class, or "unknown", and only the message has the tool's name. The name of a class begins with a capital letter. It
// gives one text to a tool whose arguments are no object; objects were found before.
func (s *source) traceloopMessage(r *Reading) {
	isJS := s.scope == traceloopLangChainJS
	if v, _ := r.Call.Arguments.Value(); isJS && hasOnly(v, "args") && at(v, "args").Len() == 1 {
		if arg := head(at(v, "args")); arg.Kind() == scoring.String {
			r.setArguments(scoring.Text(arg.Text()), true)
		}
	}
	name := r.Call.Name
	ofClass := isJS && s.text(genAIToolName) == "" && (name == "unknown" || name != "" && name[0] >= 'A' && name[0] <= 'Z')
	message, ok := readToolMessage(r.Call.Output)
	if ofClass && (!ok || message.name == "") {
		r.Traits |= LostName
	}
	if !ok { // LangChain for Python hands this to its callback, if it is no message
		if v, _ := r.Call.Output.Value(); hasOnly(v, messageOutput, "kwargs") && v.Len() == 2 {
			r.Call.Output = payloadOf(at(v, messageOutput))
		}
		return
	}
	if ofClass && message.name != "" {
		r.Call.Name = message.name
	}
	r.withMessage(message)
}

// OpenLLMetry for Agno writes as a tool's output what Python shows of Agno's record of the execution: the status, the result, the
// error, and more. It leaves out the arguments of a call that has none. The status stands at the beginning of the record, which Agno writes.
// The result follows, and decides nothing.
//
// Source: https://github.com/agno-agi/agno, libs/agno/agno/tools/function.py.
func (s *source) agnoResult(r *Reading) {
	text := s.marker(traceloopOutput)
	if !strings.HasPrefix(text, "status='") {
		return
	}
	if strings.HasPrefix(text, "status='failure' ") {
		r.Call.Status = scoring.StatusFailed
	}
	if r.Call.Arguments == (scoring.Payload{}) {
		r.Call.Arguments = scoring.JSON("{}")
	}
}

func (s *source) isTraceloopMCP() bool {
	return s.scope == "@traceloop/instrumentation-mcp" || strings.HasPrefix(s.scope, traceloopMCPPy)
}

// unwrapMCP unwraps {"result": ..., "is_error": ...}, as the instrumentation of MCP clients writes it, and the list of its counterpart for
// servers.
func (r *Reading) unwrapMCP() {
	if !r.Call.Output.Mentions(`"result"`) && !r.Call.Output.Mentions(`"content"`) {
		return
	}
	v, _ := r.Call.Output.Value()
	if hasOnly(v, "result", "is_error") {
		if result, ok := v.Member("result"); ok {
			r.Call.Output = payloadOf(result)
		}
		if at(v, "is_error").Bool() {
			r.Call.Status = scoring.StatusFailed
		}
		return
	}
	block := head(v)
	if text := at(block, content); v.Len() == 1 && text.Kind() == scoring.String && is(block, "type", "text") && hasOnly(block, "type", content) {
		r.Call.Output = payloadOf(text)
	}
}

package dialect

import (
	"cmp"
	"encoding/json"
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
	traceloopJS          = "@traceloop/"      // and those of all packages for JavaScript so
	traceloopPy          = "traceloop.tracer" // the SDK's decorators
)

// traceloopRole recognizes all kinds but those of model calls. A session is MCP's connection and a server its other end: the spans below them record
// the calls. LangChain's instrumentation for JavaScript calls a tool a task, and makes a workflow of every chain, each in a trace of its own.
func traceloopRole(s *source) (Role, bool) {
	isGraph, operation := s.scope == traceloopLangChainJS, s.marker(genAIOperation)
	switch kind := s.traceloopSpanKind(); {
	case kind == "workflow" && isGraph && operation == invokeAgent:
		return Agent, true
	case kind == "workflow":
		name := s.nameIn(traceloopWorkflows)
		if isGraph && (strings.HasPrefix(name, "__") || strings.HasPrefix(name, "Runnable") || slices.Contains(graphNodes, name)) {
			return Nothing, true
		}
		return Workflow, true
	case kind != "task":
		return roleIn(traceloopKinds, kind)
	case operation == executeTool, strings.HasPrefix(s.span.Name(), executeTool+" "), // the former may be overwritten
		s.isLlamaIndexTask() && s.text(openInferenceToolName) != "":
		return ToolCall, true
	case s.traceloopTask() != "":
		return Agent, true
	}
	return Nothing, true
}

var traceloopKinds = []meaning{{"tool", ToolCall}, {"agent", Agent}, {"session", Session}, {"server", Session}}

var traceloopWorkflows = names{[]string{traceloopName, genAIAgentName, traceloopWorkflow}, []string{"*.workflow", "*"}}

// traceloopSpanKind is the span's kind, or the one that the collector's gen_ai_normalizer made an operation of. It calls tasks and agents alike; the
// decorators end a span's name with the kind.
// Source: https://github.com/open-telemetry/opentelemetry-collector-contrib, processor/genainormalizerprocessor/internal/openllmetry.
func (s *source) traceloopSpanKind() string {
	if kind := s.marker(traceloopKind); kind != "" || !strings.HasPrefix(s.scope, traceloopJS) && s.scope != traceloopPy {
		return kind
	}
	kind, name := traceloopOperations[s.marker(genAIOperation)], s.span.Name()
	if kind == "agent" && (strings.HasSuffix(name, ".task") || strings.HasPrefix(name, executeTool+" ")) {
		return "task"
	}
	return kind
}

// traceloopOperations are the kinds by the operations that are made of them.
var traceloopOperations = map[string]string{
	executeTool: "tool", invokeWorkflow: "workflow", invokeAgent: "agent", "session": "session", "server": "server",
}

// traceloopTask is the name of an agent of LangChain that runs inside of another, or "": its span is of no particular kind.
func (s *source) traceloopTask() string {
	name := s.nameIn(names{[]string{traceloopName}, []string{"execute_task *"}})
	if runsAgent(name, s.text(traceloopProperties+lcAgentName), s.text(traceloopProperties+langGraphNode)) {
		return name
	}
	return ""
}

var traceloopConversations = []string{
	genAIConversation, traceloopProperties + "session_id", traceloopProperties + "conversation_id", traceloopProperties + "thread_id", sessionID,
}

func traceloopExceptions(s *source, r *Reading) {
	switch {
	case s.scope == traceloopLlamaIndex && r.Role == Workflow:
		s.llamaIndexWorkflow(r)
	case s.isLlamaIndexTask() && r.Role == ToolCall:
		s.llamaIndexCall(r)
	case r.Role == Agent && s.traceloopSpanKind() == "task":
		r.Agent = s.traceloopTask()
	case r.Role == ToolCall:
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
	return unwrapFunction(input, hasExactly, "args", "kwargs")
}

// traceloopMessage reads from the output of LangChain's instrumentations what the span lacks otherwise. LangChain for JavaScript names the span after
// the tool's class, which begins with a capital letter, or "unknown".
func (s *source) traceloopMessage(r *Reading) {
	isJS := s.scope == traceloopLangChainJS
	name := r.Call.Name
	ofClass := isJS && s.text(genAIToolName) == "" && (name == "unknown" || name != "" && name[0] >= 'A' && name[0] <= 'Z')
	message, ok := readToolMessage(r.Call.Output)
	if ofClass && (!ok || message.name == "") {
		r.Traits |= LostName
	}
	if !ok { // LangChain for Python hands this to its callback, if it is no message
		r.Call.Output = unwrapped(r.Call.Output, messageOutput, "kwargs")
		return
	}
	if ofClass {
		r.Call.Name = cmp.Or(message.name, r.Call.Name)
	}
	r.withMessage(message)
}

// OpenLLMetry for Agno writes as a tool's output what Python shows of Agno's record of the execution, which begins with the status; the result
// follows, and decides nothing. It leaves out the arguments of a call that has none.
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
	return s.scope == "@traceloop/instrumentation-mcp" || strings.HasPrefix(s.scope, openTelemetryModule+"mcp")
}

// unwrapMCP unwraps {"result": ..., "is_error": ...}, as the instrumentation of MCP clients writes it, and the list of its counterpart for servers.
func (r *Reading) unwrapMCP() {
	v, _ := r.Call.Output.Value()
	if v.HasOnly("result", "is_error") {
		if at(v, "is_error").Bool() {
			r.Call.Status = scoring.StatusFailed
		}
		if result, ok := v.Member("result"); ok {
			r.Call.Output = payloadOf(result)
		}
	} else if block := head(v); v.Len() == 1 && hasExactly(block, "type", content) && is(block, "type", "text") {
		r.Call.Output = payloadOf(at(block, content))
	}
}

// OpenLLMetry for LlamaIndex names a span after the class whose method LlamaIndex reports. The step of an agent that calls a tool has the tool's name
// and arguments. The span of the tool's own class, below, has no name. Source: https://github.com/traceloop/openllmetry,
// packages/opentelemetry-instrumentation-llamaindex; https://github.com/run-llama/llama_index, llama-index-core/llama_index/core/agent/workflow.
const (
	traceloopLlamaIndex   = "opentelemetry.instrumentation.llamaindex"
	llamaIndexMultiAgents = "AgentWorkflow" // runs several agents, one after the other
)

// isLlamaIndexAgent reports whether a class of LlamaIndex is that of an agent, or of a workflow of agents. The base's methods are steps of agents.
func isLlamaIndexAgent(class string) bool {
	return class == llamaIndexMultiAgents || strings.HasSuffix(class, "Agent") && class != "Agent" && class != "BaseWorkflowAgent"
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

// llamaIndexWorkflow distinguishes agents from other workflows by the class after which the span is named. The framework puts the agent's name beside
// the agent's answer. If there are several agents, it is the last one, which does not represent the run.
func (s *source) llamaIndexWorkflow(r *Reading) {
	class := strings.TrimSuffix(r.Agent, ".workflow")
	if !isLlamaIndexAgent(class) {
		return
	}
	r.Role, r.Agent = Agent, ""
	if text := s.marker(traceloopOutput); class != llamaIndexMultiAgents && text != "" {
		var output struct { // not scoring's values, because a tool's deep result may stand beside the name
			Result struct {
				Agent string `json:"current_agent_name"`
			}
		}
		if json.Unmarshal([]byte(text), &output) != nil && isCutJSON(text) {
			r.Traits |= LostName
		}
		r.Agent = output.Result.Agent
	}
}

// llamaIndexChain finds the agents among what OpenInference calls chains. An agent's name is only on the spans of its steps, in Python's form.
func (s *source) llamaIndexChain(r *Reading) {
	if class, runs := strings.CutSuffix(s.span.Name(), ".run"); runs && isLlamaIndexAgent(class) {
		*r = Reading{Role: Agent, Conversation: r.Conversation}
		return
	}
	if strings.HasSuffix(s.span.Name(), ".setup_agent") && !s.span.ParentSpanID().IsEmpty() {
		if name := llamaIndexAgentIn(s.marker(openInferenceInput)); name != "" {
			*r = Reading{Role: Step, Agent: name}
			return
		}
	}
	s.outermost(r)
}

// llamaIndexAgentIn is the agent's name in what the step setup_agent was given: JSON text with the representation of the event, which ends with the
// name. The messages stand in front of it, so nothing that a user or a model writes can be taken for it. A name that would be escaped is not read.
func llamaIndexAgentIn(input string) string {
	event, ends := strings.CutSuffix(input, `')"}`)
	at := strings.LastIndexByte(event, '\'')
	if !ends || at < 0 || !strings.HasSuffix(event[:at], ", current_agent_name=") || strings.ContainsAny(event[at:], `\"`) {
		return ""
	}
	return valid(event[at+1:])
}

// OpenLLMetry's instrumentation of CrewAI writes no tool spans, and models get a failure as a text like any other. But a crew's span has the output
// of its tasks. It has it even if content is hidden, and then nothing else has the calls.
// Source: https://github.com/traceloop/openllmetry, packages/opentelemetry-instrumentation-crewai.
const crewOutputs = "crewai.crew.tasks_output"

// Bounds of what is read. A crew with 5,000 calls has as many values. A bound on the length of the text would let a long result hide calls.
const (
	maxValues = 1 << 16
	maxTasks  = 1 << 10
)

// crewResponse reads which calls the agents requested, and which failed. Each task is a share of its agent; nobody's requests are of no run. The text
// is a list of outputs. One that is not, or that cannot be read, may have calls all the same: only a parser knows where it ends.
func (s *source) crewResponse(a *draft) {
	text := s.marker(crewOutputs)
	var outputs scoring.Value
	read := !strings.Contains(text, "ToolFailureRecord(") && !strings.Contains(text, `'tool_calls'`)
	if strings.HasPrefix(text, "[") {
		outputs, read = pythonRepr("Outputs(tasks="+text+")", maxValues)
	}
	s.scratch.unread = !read || s.span.DroppedAttributesCount() > 0
	number := 0
	for output := range at(outputs, "tasks").Elements() {
		if !is(output, "", "TaskOutput") {
			continue
		}
		if number == maxTasks {
			s.scratch.unread = true
			break
		}
		a.askTask(output, number)
		number++
	}
	switch {
	case s.scratch.unread && a.Shares == nil:
		a.Shares = []Share{} // any agent of the group may have requested calls
	case !s.scratch.unread && len(a.Requests) == 0:
		a.Shares = nil
	}
}

// askTask adds what the messages of a task request, as the share of its agent, but no calls of tools that there are not.
func (a *draft) askTask(output scoring.Value, number int) {
	unknown := a.tellFailures(output)
	share := Share{Agent: strings.Clone(at(output, "agent").Text()), Task: number}
	if share.Agent == "" {
		return
	}
	for message := range at(output, "messages").Elements() {
		before := len(a.Requests)
		for call := range at(message, "tool_calls").Elements() {
			if is(message, "role", "assistant") && !unknown[[2]string{at(call, "id").Text(), at(call, "function", "name").Text()}] {
				a.askPart(call, rawRequests)
			}
		}
		if requests := len(a.Requests) - before; requests > 0 {
			share.Messages = append(share.Messages, requests)
		}
	}
	a.Shares = append(a.Shares, share)
}

// tellFailures finds, for each failure of a task, the tool's next message whose text ends with that of the failure. It returns the calls of tools
// that there are not, each by its ID and the tool's name.
func (a *draft) tellFailures(output scoring.Value) map[[2]string]bool {
	unknown := make(map[[2]string]bool)
	messages := slices.Collect(at(output, "messages").Elements())
	for record := range at(output, "tool_failures").Elements() {
		tool, failure := at(record, "tool_name").Text(), at(record, "failure")
		why := at(failure, "message").Text() // read once, because it may be long
		next := slices.IndexFunc(messages, func(message scoring.Value) bool {
			return is(message, "role", "tool") && is(message, "name", tool) && strings.HasSuffix(at(message, content).Text(), why)
		})
		if next < 0 {
			break
		}
		message := messages[next]
		messages = messages[next+1:]
		if strings.HasPrefix(at(failure, "reason").Text(), "<ToolFailureReason.UNKNOWN_TOOL") {
			unknown[[2]string{at(message, "tool_call_id").Text(), tool}] = true
		}
		if a.scratch.want.Results {
			a.tell(ToolResult{ID: strings.Clone(member(message, "tool_call_id")), Output: encoded(a.scratch.want.Outputs, message, content), Failed: true})
		}
	}
	return unknown
}

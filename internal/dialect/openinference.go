package dialect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference. Source: https://github.com/Arize-ai/openinference, spec/semantic_conventions.md.
const (
	openInferenceKind       = "openinference.span.kind"
	openInferenceToolName   = "tool.name"
	openInferenceParameters = "tool.parameters" // by the specification the tool's schema; some write the arguments
	openInferenceInput      = "input.value"
	openInferenceInputType  = "input.mime_type"
	openInferenceOutput     = "output.value"
	openInferenceOutputType = "output.mime_type"
	openInferenceAgentName  = "agent.name"
	openInferenceNodeName   = "graph.node.name"
	openInferenceNodeID     = "graph.node.id"
	openInferenceMetadata   = "metadata" // JSON text
	// openInferenceCallArguments are those of a call in a message; AG2 has them on its tool spans as well.
	openInferenceCallArguments = "tool_call.function.arguments"
	// openInferenceRedacted stands where a TraceConfig hides inputs or outputs.
	openInferenceRedacted = "__REDACTED__"
)

// Scopes of the instrumentations that write something in their own way. Those for Python are named after their module.
const (
	autoGenScope    = "openinference.instrumentation.autogen_agentchat"
	dspyScope       = "openinference.instrumentation.dspy"
	llamaIndexScope = "openinference.instrumentation.llama_index"
	openAIAgentsJS  = "@arizeai/openinference-instrumentation-openai-agents"
	openAIAgentsPy  = "openinference.instrumentation.openai_agents"
	smolagentsScope = "openinference.instrumentation.smolagents"
	smolagentsRun   = ".run" // how the names of its agents' spans end
	// finalAnswer is what smolagents and BeeAI offer to the model as a tool besides the application's own.
	finalAnswer = "final_answer"
	// finalAnswerText is how smolagents describes its own, wherever its tools are listed.
	// Source: https://github.com/huggingface/smolagents, src/smolagents/default_tools.py.
	finalAnswerText = "Provides a final answer to the given problem."
)

var openInferenceKinds = []meaning{
	{"TOOL", ToolCall}, {"LLM", ModelCall}, {"AGENT", Agent}, {"CHAIN", Workflow},
	{"EMBEDDING", Nothing}, {"RETRIEVER", Nothing}, {"RERANKER", Nothing}, {"GUARDRAIL", Nothing}, {"EVALUATOR", Nothing}, {"PROMPT", Nothing},
}

// knowChains are the scopes of instrumentations that know chains only: some of these are agents.
var knowChains = []string{langChainJSScope, langChainPyScope, langChainV0Scope, haystackOIScope, llamaIndexScope, dspyScope, beeAIScope}

// openInferenceRole recognizes all kinds. A chain represents a run if it is the outermost one.
func openInferenceRole(s *source) (Role, bool) {
	kind := s.openInferenceSpanKind()
	role, known := roleIn(openInferenceKinds, kind)
	switch {
	case role == Agent && isLangChain(s.scope) && s.text(openInferenceToolName, genAIToolName) != "": // also if the tool is named like its agent
		role = ToolCall
	case role == Agent && s.scope == beeAIScope && s.span.Name() != "beeai-framework-main":
		role = Step
	case role == Workflow && !s.span.ParentSpanID().IsEmpty() && !slices.Contains(knowChains, s.scope):
		role = Nothing
	}
	return role, known || s.scope == beeAIScope && kind != ""
}

func openInferenceExceptions(s *source, r *Reading) {
	isTool, isChain := r.Role == ToolCall, r.Role == Workflow
	switch {
	case s.scope == beeAIScope:
		s.readBeeAI(r)
	case s.scope == beeAIPyScope && s.marker(beeAIClass) == "" && s.marker("metadata.path") != "": // an event
		*r = Reading{}
	case isLangChain(s.scope) && (isChain || r.Role == Agent):
		s.langChainGroup(r)
	case isChain && s.scope == haystackOIScope:
		s.haystackChain(r)
	case isChain && s.scope == llamaIndexScope:
		s.llamaIndexChain(r)
	case isChain && s.scope == dspyScope:
		s.dspyModule(r)
	case isTool:
		s.openInferenceTool(r)
	case r.Role == Agent:
		s.openInferenceAgent(r)
	case s.scope == "openinference.instrumentation.bedrock" && !strings.HasPrefix(s.span.Name(), "bedrock."): // its tools have spans
		r.Traits = 0
	}
}

// openInferenceTool reads what the instrumentations do differently from each other.
func (s *source) openInferenceTool(r *Reading) {
	switch s.scope {
	case "openinference.instrumentation.instructor": // the span around a model call whose response must have a given form
		*r = Reading{}
	case openAIAgentsJS, openAIAgentsPy: // the next agent takes over, and nothing was called
		if s.text(openInferenceToolName, genAIToolName) == "" && strings.HasPrefix(s.span.Name(), "handoff to ") {
			*r = Reading{}
		}
	case langChainJSScope, langChainV0Scope, langChainPyScope:
		s.bareArgument(r)
	case "", smolagentsScope: // some backends drop scopes
		if s.scope == "" && strings.HasPrefix(s.marker(openInferenceInput), "{'") && !strings.Contains(s.marker(openInferenceInputType), "json") {
			s.bareArgument(r)
		}
		r.setArguments(unwrapFunction(r.Call.Arguments, hasExactly, "args", "kwargs", "sanitize_inputs_outputs"))
	case llamaIndexScope:
		r.setArguments(unwrapFunction(r.Call.Arguments, scoring.Value.HasOnly, "args", "kwargs"))
	case dspyScope: // which names a span after the tool and a method
		r.setArguments(unwrapFunction(r.Call.Arguments, scoring.Value.HasOnly, "args", "kwargs"))
		if s.text(openInferenceToolName, genAIToolName) == "" {
			r.Call.Name = strings.TrimSuffix(strings.TrimSuffix(r.Call.Name, ".__call__"), ".acall")
		}
		if r.endsRun() {
			*r = Reading{}
		}
	case "openinference.instrumentation.crewai":
		r.Call.Name = cmp.Or(s.crewAIName(), r.Call.Name)
		r.Call.Arguments = s.crewAIArguments(r.Call.Arguments)
	case beeAIPyScope:
		if s.marker(beeAIClass) == "FinalAnswerTool" {
			*r = Reading{}
		}
		if v, ok := r.Call.Arguments.Value(); ok && v.HasOnly("input", "options") && at(v, "input").Kind() == scoring.Object {
			r.Call.Arguments = payloadOf(at(v, "input"))
		}
	case "openinference.instrumentation.agno":
		if v, ok := s.attributes.Get(openInferenceOutput); ok && s.marker(openInferenceOutputType) == "text/plain" && r.Call.Output.Captured() {
			r.Call.Output = pythonText(v)
		}
	case autoGenScope: // whose tools return their failures; autogen-core's span below says so
		if r.Call.Status == scoring.StatusOK {
			r.Call.Status = scoring.StatusUnset
		}
	case "@arizeai/openinference-instrumentation-claude-agent-sdk", "openinference.instrumentation.claude_agent_sdk":
		r.Call.Output = contentList(r.Call.Output)
	}
	s.takesMessage(r)
}

// outermost is a chain that represents a run, or Nothing.
func (s *source) outermost(r *Reading) {
	if !s.span.ParentSpanID().IsEmpty() {
		*r = Reading{}
	}
}

// openInferenceAgent distinguishes an agent from the span around a whole trace of the OpenAI Agents SDK, which is of kind AGENT too and has the
// workflow's name. Only the agents below it have graph.node.id, which is their name. Others, such as Agno, put a random ID there, so names come
// first. smolagents names the span after the agent, or else its class, and the method.
func (s *source) openInferenceAgent(r *Reading) {
	switch s.scope {
	case openAIAgentsJS, openAIAgentsPy:
		if s.text(openInferenceNodeID) == "" {
			r.Role = Workflow
		}
	case autoGenScope: // autogen-core's span of the agent is around that of its method
		if strings.HasSuffix(s.span.Name(), ".on_messages_stream") && !s.span.ParentSpanID().IsEmpty() {
			r.Role = Step
		}
	case smolagentsScope:
		if r.Agent == s.spanName() {
			r.Agent = strings.TrimSuffix(r.Agent, smolagentsRun)
		}
	}
}

// openInferenceArguments are the span's input. If that is absent or hidden, they are looked for under the conventions' keys, then in tool.parameters:
// some instrumentations hide the input and leave the arguments beside it. AG2's input is the whole function call.
func (s *source) openInferenceArguments() scoring.Payload {
	if s.scope == "openinference.instrumentation.ag2" {
		if arguments := s.payload(openInferenceCallArguments, genAIArguments); arguments != (scoring.Payload{}) {
			return arguments
		}
	}
	if input := s.openInferenceValue(openInferenceInput, openInferenceInputType); input != (scoring.Payload{}) {
		return input
	}
	_, isHidden := s.attributes.Get(openInferenceInput)
	if arguments := s.conventionalArguments(s.content(&conventions.arguments)); arguments != (scoring.Payload{}) {
		return arguments
	}
	// By the specification these are the tool's schema. Beside a hidden input, an empty object may be the schema of a tool without parameters.
	parameters := s.payload(openInferenceParameters)
	if v, ok := parameters.Value(); ok && v.Kind() == scoring.Object && !isSchema(v) && (!isHidden || v.Len() > 0) {
		return parameters
	}
	// Two leave out what is empty, and write a placeholder for what is hidden: a span with an output and no input is of a call without arguments.
	output := s.marker(openInferenceOutput)
	if !isHidden && output != "" && output != openInferenceRedacted && (s.scope == langChainPyScope || s.scope == "openinference.instrumentation.google_adk") {
		return scoring.JSON("{}")
	}
	return scoring.Payload{}
}

// openInferenceResult is the span's output, or where it has none the conventions' result.
func (s *source) openInferenceResult() scoring.Payload {
	if _, ok := s.attributes.Get(openInferenceOutput); ok {
		return s.openInferenceValue(openInferenceOutput, openInferenceOutputType)
	}
	return contentList(s.payload(genAIResult))
}

// openInferenceValue reads a value with its mime type beside it. Without a type the specification says plain text. But many
// instrumentations leave it out if the value is an object, so what begins like one is read as JSON.
func (s *source) openInferenceValue(key, typeKey string) scoring.Payload {
	text, mime := s.marker(key), s.marker(typeKey)
	switch {
	case text == "":
		return s.payload(key)
	case text == openInferenceRedacted:
		return scoring.Payload{}
	case strings.Contains(mime, "json"), (mime == "" || s.scope == beeAIPyScope) && (text[0] == '{' || text[0] == '[' || strings.HasPrefix(text, `"{`)):
		return scoring.JSON(text)
	}
	return scoring.Text(text)
}

// isSchema reports whether an object describes arguments instead of being some: a JSON schema, or smolagents' description of
// each argument by name. Arguments that look exactly like that are mistaken for a schema, and count as not captured.
func isSchema(v scoring.Value) bool {
	if is(v, "type", "object") || first(v, "properties", "$schema", "$defs", "def").Kind() != scoring.Null {
		return true
	}
	for _, member := range v.Members() {
		if at(member, "type").Kind() != scoring.String {
			return false
		}
	}
	return v.Len() > 0
}

// OpenInference behind the collector's gen_ai_normalizer, which renames its attributes to OpenTelemetry's. What arrives is neither of the two: every
// chain is said to invoke an agent, and no tool has arguments, because input.value keeps its name. The scope still shows which instrumentation wrote
// such spans. Source: https://github.com/open-telemetry/opentelemetry-collector-contrib, processor/genainormalizerprocessor/internal/openinference.
func isOpenInference(scope string) bool {
	return strings.HasPrefix(scope, openInferenceJS) || strings.HasPrefix(scope, openInferencePy)
}

// isRenamed reports whether what a span says in OpenTelemetry's words was said in OpenInference's. Outside of that one's scopes the originals have to
// be there: only the normalizer calls a chain an agent, or leaves an agent without its name and arguments in input.value alone.
func (s *source) isRenamed() bool {
	switch {
	case isOpenInference(s.scope):
		return true
	case s.others == 0:
		return false
	}
	switch s.marker(openInferenceKind) {
	case "CHAIN":
		return s.marker(genAIOperation) == invokeAgent
	case "AGENT":
		return !strings.HasPrefix(s.span.Name(), invokeAgent+" ") && s.text(genAIAgentName) == s.text(openInferenceAgentName)
	case "TOOL":
		_, has := s.attributes.Get(openInferenceInput)
		_, conventional := s.attributes.Get(genAIArguments)
		return has && !conventional
	}
	return false
}

// openInferenceSpanKind is the span's kind, or the one that its operation was made of.
func (s *source) openInferenceSpanKind() string {
	if kind := s.marker(openInferenceKind); kind != "" || !isOpenInference(s.scope) {
		return kind
	}
	switch s.marker(genAIOperation) {
	case executeTool:
		return "TOOL"
	case chat:
		return "LLM"
	case invokeAgent:
		return s.chainOrAgent()
	}
	return ""
}

// chainOrAgent distinguishes two kinds with one name. An agent has a name beside the span's, or is called an agent; but some know chains only.
func (s *source) chainOrAgent() string {
	switch {
	case s.scope == langChainJSScope, s.scope == langChainV0Scope, s.scope == haystackOIScope, s.scope == llamaIndexScope:
		return "CHAIN"
	case s.scope == smolagentsScope && strings.HasSuffix(s.span.Name(), smolagentsRun), s.scope == beeAIScope,
		s.text(genAIAgentName, openInferenceNodeName, openInferenceNodeID) != "",
		strings.Contains(strings.ToLower(s.span.Name()), "agent"):
		return "AGENT"
	}
	return "CHAIN"
}

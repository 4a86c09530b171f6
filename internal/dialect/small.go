package dialect

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// What the tables of instrumentations cannot say, where that is little.

const (
	vercelArguments = "ai.toolCall.args"              // JSON text
	vercelResult    = "ai.toolCall.result"            // JSON text
	vercelContext   = "ai.settings.context.sessionId" // in version 7, on the spans of both its telemetries
	genkitName      = "genkit:name"
	genkitInput     = "genkit:input"  // JSON text
	genkitOutput    = "genkit:output" // JSON text
	liveKitTool     = "lk.function_tool.name"
	liveKitIsError  = "lk.function_tool.is_error"
	agentOpsEntity  = "agentops.entity.name"
	claudeExecution = "claude_code.tool.execution"
	claudeSuccess   = "success"
	braintrustSpan  = "braintrust.span_attributes" // JSON text
	braintrustScope = "braintrust-langchain4j"
	copilotScope    = "github.copilot"
	codexOutcome    = "dispatch_tool_call_with_state"
	rigOutcome      = "gen_ai.tool.call.outcome"
	quarkusService  = "langchain4j.aiservices.*"
	quarkusTool     = "langchain4j.tools.*"
	spanKind        = "gen_ai.span.kind"
	haystackType    = "haystack.component.fully_qualified_type"
	tanStackOutcome = "tanstack.ai.tool.outcome"
	tanStackLoop    = "tanstack.ai.iterations"
	koogEvent       = "koog.event.id" // on every span of Koog, whose scope is the application's
	// pydanticOutput is the name of a span in versions 1 and 2, and the start of logfire.msg since then.
	pydanticOutput = "running output function"
)

// endings are words for how a call ended.
var endings = map[string]scoring.CallStatus{
	"success": scoring.StatusOK, "true": scoring.StatusOK, "error": scoring.StatusFailed, "false": scoring.StatusFailed,
}

// genkitResult takes the output out of what a tool of the second kind returns, which may have content besides.
func genkitResult(s *source, r *Reading) {
	if s.wrapped || s.marker("genkit:metadata:subtype") != "tool.v2" {
		return
	}
	if v, _ := r.Call.Output.Value(); v.HasOnly("output", "content", "metadata") && at(v, "output").Kind() != scoring.Null {
		r.Call.Output = payloadOf(at(v, "output"))
	}
}

// claudeCall: a tool that runs a subagent is the only span that represents that agent. The execution below a tool's span repeats the call's id,
// and only it says whether the call failed. Without the tool's span, whose name it lacks, it is no call.
func claudeCall(s *source, r *Reading) {
	if s.span.Name() == claudeExecution {
		*r = Reading{Role: ToolCall, Conversation: r.Conversation, CallID: r.CallID, Call: scoring.Call{Status: r.Call.Status}, Traits: ResultOnly}
		return
	}
	r.Agent = s.text("subagent_type")
	r.Call.Output = r.Call.Output.Or(contentList(s.event("tool.output", "output"))) // with OTEL_LOG_TOOL_CONTENT
}

// geminiExceptions: the status of a call is beside its response, and the name of a sub-agent in what it was asked. All spans name the main agent.
func geminiExceptions(s *source, r *Reading) {
	switch operation := s.marker(genAIOperation); {
	case r.Role == ToolCall:
		output, _ := s.payload(genAIOutput).Value()
		if status, known := endings[member(output, "status")]; known {
			r.Call.Status = status
		}
	case operation == "agent_call":
		input, _ := s.payload(genAIInput).Value()
		r.Agent = member(input, "agent_name")
	case s.span.ParentSpanID().IsEmpty() && (operation == "llm_call" || operation == "schedule_tool_calls"):
		*r = Reading{Role: Agent, Agent: s.nameIn(conventions.agent), Conversation: r.Conversation, Traits: Part, Of: s.text("gen_ai.prompt.name")}
	case operation == "schedule_tool_calls":
		*r = Reading{}
	}
}

// voltAgentRole recognizes a run's own span by its missing type and its state: the attributes that name the agent are repeated on every span below.
func voltAgentRole(s *source) (Role, bool) {
	switch entity := s.marker("entity.type"); {
	case entity == "workflow":
		return Workflow, true
	case entity == "agent" && s.text("agent.state") != "":
		return Agent, true
	}
	return Nothing, true
}

// mastraExceptions: newer versions put model_inference inside of model_generation, which sums up the whole loop; then only the inner one is a chat.
func mastraExceptions(s *source, r *Reading) {
	if r.Role == ModelCall && s.marker(genAIOperation) != chat {
		*r = Reading{}
	}
}

func tanStackRole(s *source) (Role, bool) { return Agent, s.text(tanStackLoop) != "" }

// agentOpsArguments undoes the form of the decorators. The instrumentations of frameworks write what the model wrote, some as tool.parameters.
func agentOpsArguments(s *source, r *Reading) {
	switch {
	case s.text("tool.call.id") != "" && strings.HasPrefix(s.span.Name(), "tool_call."): // a request, which the model's span has as well
		*r = Reading{}
	case r.Call.Arguments == scoring.Payload{}:
		r.Call.Arguments = s.payload(openInferenceParameters)
	case !strings.HasPrefix(s.scope, agentOpsFramework):
		r.setArguments(unwrapFunction(r.Call.Arguments, hasExactly, "args", "kwargs"))
	}
}

// pythonText reads a value as str() of Python wrote it.
func pythonText(v pcommon.Value) scoring.Payload {
	if v.Str() != "" {
		return pythonLiteral(v.Str())
	}
	return structured(v)
}

// braintrustRole reads the type of a span out of its JSON. For LangChain4j, the span of an AI service has none; nor has that of a tool which
// threw, but it says of what kind the exception is.
func braintrustRole(s *source) (Role, bool) {
	if s.scope == braintrustScope && s.marker(braintrustSpan) == "" {
		for _, e := range s.span.Events().All() {
			if strings.HasPrefix(s.of(e).marker("exception.type"), "dev.langchain4j.exception.Tool") {
				return ToolCall, true
			}
		}
		return Agent, true
	}
	v, _ := scoring.JSON(s.marker(braintrustSpan)).Value()
	role, known := roleIn(braintrustTypes, at(v, "type").Text())
	return role, known && (role != Agent || s.span.ParentSpanID().IsEmpty())
}

var braintrustTypes = []meaning{{"tool", ToolCall}, {"llm", ModelCall}, {"task", Agent}}

// memberOf reads the member of an object under a key.
func memberOf(key string) func(pcommon.Value) scoring.Payload {
	return func(v pcommon.Value) scoring.Payload {
		object, _ := structured(v).Value()
		return encoded(true, object, key)
	}
}

// objectOnly reads a value that may be something else than arguments, which are an object.
func objectOnly(v pcommon.Value) scoring.Payload {
	if p := structured(v); p.IsObject() {
		return p
	}
	return scoring.Payload{}
}

// firstContent reads the content of the first message of a list.
func firstContent(v pcommon.Value) scoring.Payload {
	messages, _ := structured(v).Value()
	return encoded(true, head(messages), content)
}

// geminiOutput reads what the model was shown of a result: its output, or an error. The output of an MCP server is marked as such.
func geminiOutput(v pcommon.Value) scoring.Payload {
	all, _ := structured(v).Value()
	shown := first(at(all, "response", "responseParts", "0", "functionResponse", "response"), "output", "error")
	if shown.Kind() == scoring.String {
		text := strings.TrimPrefix(shown.Text(), "<untrusted_context>\n")
		return scoring.JSON(strings.Clone(strings.TrimSuffix(text, "\n</untrusted_context>")))
	}
	if shown = at(all, "response"); shown.Kind() == scoring.Null {
		return scoring.Payload{}
	}
	return payloadOf(shown)
}

// codexCall: events of a call have the tool's name without that of its server. What the outcome repeats of a call is no name of its own.
func codexCall(s *source, r *Reading) {
	outcome := s.span.Name() == codexOutcome
	for _, e := range s.span.Events().All() {
		event := s.of(e)
		switch id := event.text("call_id"); {
		case id == "", r.CallID != "" && id != r.CallID:
		case !outcome:
			r.Call.Name = cmp.Or(event.text("tool_name"), r.Call.Name)
		case event.text("event.name") == "codex.tool_result":
			r.CallID = id
			if status, known := endings[event.text("success")]; known {
				r.Call.Status = status
			}
		}
	}
	if outcome {
		if r.Call.Name, r.Traits = "", ResultOnly; r.CallID == "" {
			*r = Reading{}
		}
	}
}

// quarkusExceptions takes the class out of a method of a service. The result of a tool is a text, whose JSON is a result of more parts.
func quarkusExceptions(_ *source, r *Reading) {
	if v, ok := r.Call.Output.Value(); ok {
		r.Call.Output = payloadOf(v)
	}
	if at := strings.LastIndexByte(r.Agent, '.'); at > 0 {
		r.Agent = r.Agent[:at]
	}
	r.Agent = r.Agent[strings.LastIndexAny(r.Agent, ".$")+1:]
}

// liteLLMMembers are the members of a response that have its messages, and the path to the first of several choices.
var liteLLMMembers = map[string][]string{"choices": {"0", "message"}, "candidates": {"0", content}, content: nil, "output": nil}

// liteLLMResponse reads what a provider returned, which is in an attribute for each member, named llm.<provider>.<member>.
func (s *source) liteLLMResponse(a *draft) {
	for key, v := range s.attributes.All() {
		rest, ok := strings.CutPrefix(key, "llm.")
		_, part, named := strings.Cut(rest, ".")
		if !ok || !named {
			continue
		}
		if path, ok := liteLLMMembers[part]; ok {
			response, read := pythonLiteral(v.Str()).Value()
			s.scratch.unread = s.scratch.unread || !read
			a.askAll(at(response, path...), rawRequests, nil, false)
		}
	}
}

// spanKindRole wants the name that the conventions have besides, or Dify's, because anyone may use such a key.
func spanKindRole(s *source) (Role, bool) {
	switch kind := s.marker(spanKind); {
	case strings.EqualFold(kind, "TOOL") && (s.text(genAIToolName) != "" || s.marker("gen_ai.framework") == "dify"):
		return ToolCall, true
	case strings.EqualFold(kind, "AGENT") && s.text(genAIAgentName) != "":
		return Agent, true
	}
	return Nothing, false
}

// vercelSucceeded: a result proves success. After a failed call openinference-vercel gives the error's status to every later span of the trace.
func vercelSucceeded(_ *source, r *Reading) {
	if r.Call.Status == scoring.StatusFailed && r.Call.Output.Captured() && !r.Call.Output.Look(isMask) {
		r.Call.Status = scoring.StatusOK
	}
}

// vercelAsked: the model gives another reason for its end if the SDK is to run a tool.
func vercelAsked(s *source, requests []ToolRequest) {
	if s.marker("ai.response.finishReason") == "stop" {
		hosted(requests, true)
	}
}

// pydanticRole is asked about every span of the scope. Model calls are as the conventions have them. A function that turns a model response into the
// run's result has a span like a tool's, but the model requested no tool; from version 3 on only the message shows it.
func pydanticRole(s *source) (Role, bool) {
	operation, name := s.marker(genAIOperation), s.span.Name()
	switch {
	case name == pydanticOutput, strings.HasPrefix(s.marker("logfire.msg"), pydanticOutput+": "):
		return Nothing, true
	case operation == executeTool, name == "running tool", operation == "" && strings.HasPrefix(name, executeTool+" "):
		return ToolCall, true
	case operation == invokeAgent, name == "agent run":
		return Agent, true
	}
	return Nothing, operation == "" && strings.HasPrefix(name, "running ")
}

// pydanticExceptions: a call that waits for approval or is made elsewhere ends its span with an exception. It has not failed.
func pydanticExceptions(s *source, r *Reading) {
	if r.Role == Agent && s.hasTranscript() {
		r.Messages = AgentMessages
	}
	if s.text("pydantic_ai.tool.deferral.name") != "" {
		r.Call.Status = scoring.StatusUnset
	}
}

const (
	strandsStatus = "gen_ai.tool.status" // "success" or "error"; tool.status in versions before
	strandsFailed = "error"
	// strandsTools is on an agent's span: the names of its tools, a list as JSON text.
	strandsTools = "gen_ai.agent.tools"
)

// strandsRole knows all other operations of Strands. The cycles of an agent's loop are Nothing. OpenInference's processor for Strands replaces
// the attributes by its own; those spans are for the dialect of that name.
func strandsRole(s *source) (Role, bool) {
	if s.marker(genAIOperation) == invokeAgent {
		return genAIRole(s)
	}
	return Nothing, s.marker(openInferenceKind) == ""
}

// strandsCall: a call's content may be in events. Newer versions for Python describe each tool that exists.
func strandsCall(s *source, r *Reading) {
	s.wrapped = false // an output may say that there is no such tool
	s.conventionalCall(r)
	if !r.Call.Arguments.Captured() {
		r.Call.Arguments = s.strandsContent(genAITool, "content", genAIInput, "tool_call", "arguments")
	}
	if !r.Call.Output.Captured() {
		r.Call.Output = contentList(s.strandsContent(genAIChoice, "message", genAIOutput, "tool_call_response", "response"))
	}
	if v, _ := r.Call.Output.Value(); v.Text() == "Successfully validated "+r.Call.Name+" structured output" {
		r.Traits |= UnknownTool // it has the name of the application's class, and the agent's list of tools tells it from those
	}
}

// strandsContent is what the first event of a name has under a member. Otherwise it is in the messages under key, which are in an event,
// and for Langfuse in the span's attributes as well: OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental asks for them.
func (s *source) strandsContent(event, member, key, kind, field string) scoring.Payload {
	if p := s.event(event, member); p.Captured() {
		return p
	}
	messages, _ := s.event(genAIDetails, key).Or(s.payload(key)).Value()
	for message := range messages.Elements() {
		for part := range at(message, "parts").Elements() {
			if is(part, "type", kind) {
				return encoded(true, part, field)
			}
		}
	}
	return scoring.Payload{}
}

// strandsResponse reads a span's events: gen_ai.choice for the response, and one event for each message of the history, or those of the latest
// conventions. An agent with an unknown tool gets a failed span for it; a list of tools is there if the application asks for it.
func (s *source) strandsResponse(a *draft) {
	s.scratch.unread = s.span.DroppedEventsCount() > 0
	for _, event := range s.span.Events().All() {
		e := s.of(event)
		s.scratch.used = 0 // the previous event has been read
		switch event.Name() {
		case genAIChoice:
			a.askAll(e.document("message", strandsAsks), strandsRequests, strandsResults, false)
		case genAIUser:
			a.Results = nil
		case genAITool:
			if s.scratch.want.Results {
				a.tellAll(e.document(content, strandsTells), strandsResults)
			}
		case genAIDetails:
			before := len(a.Results)
			e.parts(a)
			for i := range a.Results[before:] {
				a.Results[before+i].Output = contentList(a.Results[before+i].Output)
			}
		}
	}
	if len(a.Requests) > 0 {
		a.keepOffered(s.toolsIn(genAIDefinitions))
	}
}

// Words that are in every text that requests calls or has results.
var (
	strandsAsks  = wordsOf("toolUse")
	strandsTells = wordsOf("toolResult")
)

// unknownTool reports whether an output says in a few words that there is no such tool. Some frameworks have a span for such a call.
func unknownTool(call scoring.Call) bool {
	const longest = 1 << 10
	named := func(text string) bool { return len(text) <= longest && strings.Contains(text, call.Name) }
	if !call.Output.Look(named) {
		return false
	}
	v, ok := call.Output.Value()
	return ok && says(v.Text(), unknownTools)
}

var unknownTools = []string{"not found", "unknown tool", "no such tool", "no tool named", "not a valid tool", "does not exist", "not registered"}

// event is what the first event of that name has under key.
func (s *source) event(name, key string) scoring.Payload {
	for _, e := range s.span.Events().All() {
		if v, ok := e.Attributes().Get(key); ok && e.Name() == name {
			if p := structured(v); p != (scoring.Payload{}) {
				return p
			}
		}
	}
	return scoring.Payload{}
}

// Tools returns the names of an agent's tools if its own span lists them, else nil. The framework writes the list, and no tool.
func Tools(agent ptrace.Span) []string {
	s := source{attributes: mapOf(agent.Attributes()), scratch: new(Scratch)}
	if _, listsAll := s.attributes.Get(strandsTools); !listsAll {
		return slices.Clone(s.toolsIn(genAIDefinitions))
	}
	list := s.document(strandsTools, nil)
	if list.Kind() == scoring.Array && list.Len() == 0 {
		return []string{} // the agent has no tools
	}
	return slices.Clone(s.scratch.toolNames(list))
}

package dialect

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// What the tables of instrumentations cannot say, where that is little.

const (
	genkitName   = "genkit:name"
	genkitInput  = "genkit:input"  // JSON text
	genkitOutput = "genkit:output" // JSON text

	liveKitTool    = "lk.function_tool.name"
	liveKitIsError = "lk.function_tool.is_error"

	agentOpsEntity = "agentops.entity.name"

	claudeType      = "span.type"
	claudeExecution = "tool.execution"
	claudeSuccess   = "success"

	braintrustSpan = "braintrust.span_attributes" // JSON text

	rigOutcome = "gen_ai.tool.call.outcome"
)

// genkitResult takes the output out of what a tool of the second kind returns, which may have content besides.
func genkitResult(s *source, r *Reading) {
	if r.Role != ToolCall || s.wrapped || s.marker("genkit:metadata:subtype") != "tool.v2" {
		return
	}
	if v, _ := r.Call.Output.Value(); hasOnly(v, "output", "content", "metadata") && at(v, "output").Kind() != scoring.Null {
		r.Call.Output = payloadOf(at(v, "output"))
	}
}

// claudeExceptions: the name of an MCP tool is as its server has it; tool_name has mcp__<server>__ before it. A tool that runs a subagent
// is the only span that represents that agent. Arguments of MCP tools are on no span. The execution below a tool's span repeats the
// call's id, and only it says whether the call failed. But it does not name the tool, so without the tool's span it is no call.
func claudeExceptions(s *source, r *Reading) {
	switch {
	case r.Role != ToolCall:
		return
	case s.marker(claudeType) == claudeExecution:
		*r = Reading{
			Role: ToolCall, Conversation: r.Conversation, CallID: r.CallID, Call: scoring.Call{Status: r.Call.Status}, Traits: ResultOnly,
		}
		return
	}
	s.conventionalCall(r)
	r.Agent = s.text("subagent_type")
	r.Call.Output = r.Call.Output.Or(contentList(s.event("tool.output", "output"))) // with OTEL_LOG_TOOL_CONTENT
}

func geminiRole(s *source) (Role, bool) {
	switch operation := s.marker(genAIOperation); operation {
	case "tool_call":
		return ToolCall, true
	case "user_prompt", "agent_call":
		return Agent, true
	case "llm_call", "schedule_tool_calls":
		if s.span.ParentSpanID().IsEmpty() {
			return Agent, true
		}
		if operation == "llm_call" {
			return ModelCall, true
		}
	}
	return Nothing, true
}

// geminiExceptions: a sub-agent has the name of the CLI, and its own in its input. It answers by complete_task, which is no tool of the
// application's. A call that failed has no error in its span's status.
func geminiExceptions(s *source, r *Reading) {
	input, output := scoring.JSON(s.marker(genAIInput)), scoring.JSON(s.marker(genAIOutput))
	switch operation := s.marker(genAIOperation); {
	case r.Role == ToolCall && r.Call.Name == "complete_task":
		*r = Reading{}
	case r.Role == ToolCall:
		if v, ok := output.Value(); ok && is(v, "status", "error") {
			r.Call.Status = scoring.StatusFailed
		}
	case operation == "agent_call":
		if v, ok := input.Value(); ok {
			r.Agent = cmp.Or(valid(strings.Clone(at(v, "agent_name").Text())), r.Agent)
		}
	case r.Role == Agent && operation != "user_prompt":
		r.Traits, r.Of = r.Traits|Part, s.text("gen_ai.prompt.name")
	}
}

// voltAgentRole recognizes a run's own span by its missing type and its state: the attributes that name the agent are repeated on every
// span below.
func voltAgentRole(s *source) (Role, bool) {
	switch kind := s.marker("span.type"); {
	case kind == "tool":
		return ToolCall, true
	case kind != "":
		return Nothing, true
	}
	switch kind := s.marker("entity.type"); {
	case kind == "workflow":
		return Workflow, true
	case kind == "agent" && s.text("agent.state") != "":
		return Agent, true
	}
	return Nothing, true
}

// mastraExceptions: newer versions put model_inference inside of model_generation, which sums up the whole loop; then only the inner
// one is a chat.
func mastraExceptions(s *source, r *Reading) {
	switch {
	case r.Role == ToolCall:
		s.conventionalCall(r)
		return
	case r.Role == ModelCall && s.marker(genAIOperation) != chat:
		*r = Reading{}
		return
	}
}

// haystackRole goes by the span's name: the marks could stand on spans of an application's own.
func haystackRole(s *source) (Role, bool) {
	switch s.span.Name() {
	case "haystack.agent.step.tool":
		return ToolCall, true
	case "haystack.agent.run":
		return Agent, true
	}
	return Nothing, false
}

// agentOpsArguments undoes the form of the decorators. The instrumentations of frameworks write what the model wrote, in newer versions
// where OpenInference has the tool's schema.
func agentOpsArguments(s *source, r *Reading) {
	switch {
	case r.Role != ToolCall:
	case r.Call.Arguments == scoring.Payload{}:
		r.Call.Arguments = s.payload(openInferenceParameters)
	case !strings.HasPrefix(s.scope, agentOpsFramework):
		r.setArguments(unwrapFunction(r.Call.Arguments, "args", "kwargs"))
	}
}

// pythonText reads a value as str() of Python wrote it.
func pythonText(v pcommon.Value) scoring.Payload {
	if v.Type() == pcommon.ValueTypeStr && v.Str() != "" {
		return pyliteral.Payload(v.Str())
	}
	return structured(v)
}

// braintrustRole reads the type of a span out of its JSON.
func braintrustRole(s *source) (Role, bool) {
	v, ok := scoring.JSON(s.marker(braintrustSpan)).Value()
	if !ok {
		return Nothing, false
	}
	switch at(v, "type").Text() {
	case "tool":
		return ToolCall, true
	case "task":
		if s.span.ParentSpanID().IsEmpty() {
			return Agent, true
		}
	}
	return Nothing, false
}

// memberOf reads the member of an object under a key.
func memberOf(key string) func(pcommon.Value) scoring.Payload {
	return func(v pcommon.Value) scoring.Payload {
		object, ok := structured(v).Value()
		if !ok || object.Kind() != scoring.Object {
			return scoring.Payload{}
		}
		member, ok := object.Member(key)
		if !ok {
			return scoring.Payload{}
		}
		var memory []byte
		return asPayload(&memory, member)
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
	for message := range messages.Elements() {
		var memory []byte
		return asPayload(&memory, at(message, "content"))
	}
	return scoring.Payload{}
}

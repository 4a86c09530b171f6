package dialect

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Role is the part that a span has in a run of an agent.
type Role uint8

const (
	Nothing   Role = iota // no dialect knows the span, or its dialect finds nothing in it
	ToolCall              // the span is one tool call
	Agent                 // the span is one execution of an agent
	Workflow              // the span groups agents or calls, and represents the run if there is no agent span
	ModelCall             // the span is a model's response, which may request calls
	Session               // the span is a session of a protocol: it never represents a run
	Step                  // the span is a step of an agent; if no span represents that agent, the step's parent does, and may lack a name
)

// A Reading is what a dialect understood of one span. A text that the span does not have is "". TestReadingIsCopiedInWholes bounds its size.
type Reading struct {
	Role   Role
	Traits Traits
	// Messages says how a model call's messages are written, or those of an agent or a workflow whose span has them.
	Messages Messages
	// Agent is the agent's or workflow's name. A tool call has one only if it runs an agent. Then its span
	// represents that agent as well, because no other span does. A step's is that of the agent which took the step, for the span above it.
	Agent string
	// Of is the name of the agent that made the tool call or the model call. Of a [Part] it is the ID of the user's prompt that the run responds to.
	Of           string
	Conversation string       // the id of the conversation that the run belongs to
	CallID       string       // the id that the model gave the call
	Call         scoring.Call // for the role ToolCall only
}

// Traits are peculiarities of a span that decide how it is combined with other spans.
type Traits uint16

const (
	// ResultOnly: the span is the result of a call. Another span with the same name and arguments is the call itself.
	ResultOnly Traits = 1 << iota
	// UnnamedArgument: the arguments are, or may be, the value of the call's only argument, or those of a function that was called by position.
	UnnamedArgument
	// NormalizedName: the call's name has lost the case or the separators of the tool's name.
	NormalizedName
	// MCP: the span belongs to a protocol, such as MCP. Which agent made the call is at most on other spans.
	MCP
	// MessagesOnly: the instrumentation is not known to write tool spans, so the requests of the model may be the only trace of its calls.
	MessagesOnly
	// UnknownTool: the output says that there is no such tool, in words that a tool could return as well. Or it is what a framework calls to give a
	// result its form. The call counts, unless the agent's own span lists its tools and this is none of them: see [Tools].
	UnknownTool
	// LostName: the name of an agent, the span's own or one below, may be in a text that cannot be read; or a tool call has another than the tool's.
	LostName
	// Part: the span is a part of an agent's run, which has no span. The others are traces of their own, with the same conversation.
	Part
	// NotMade: the span says that nothing executed the call: there is no such tool, or somebody or something refused it.
	NotMade
)

// IsUndescribed reports whether a call failed without an output, and its span says nothing of the tool but a name. There may be no such tool.
func (r *Reading) IsUndescribed(span ptrace.Span) bool {
	if r.Call.Status != scoring.StatusFailed || r.Call.Output != (scoring.Payload{}) {
		return false
	}
	s := source{attributes: attributeMap{Map: span.Attributes(), lengths: ^uint64(0)}}
	return s.text(genAIToolType, genAIToolDescription) == ""
}

// Has reports whether all of want are among t.
func (t Traits) Has(want Traits) bool { return t&want == want }

// A Scope is an instrumentation scope: what all spans below it have in common. [ScopeOf] makes one.
type Scope struct {
	name  string
	marks Marks
	// NoOutputs: the caller reads no outputs of tools. These may then keep the wrapping of a framework.
	NoOutputs bool
	// NoArguments: the caller reads no arguments. Those that were cut off may then stay as they are.
	NoArguments bool
	// Conversations are the attributes of [Conversation], which come before those of the dialect.
	Conversations []string
}

// ScopeOf reads the name of an instrumentation scope. The caller does so once for all spans of the scope.
func ScopeOf(name string) Scope { return Scope{name: name, marks: scopeMarks(name)} }

// madeBy are the attributes with which spans of calls name their agent, whichever dialect reads them.
var madeBy = []string{"ai.telemetry.functionId", genAIAgentName, openInferenceAgentName}

// Marks are the marks on a span: signs that a dialect may know it. They are a set of dialects, one bit for each in their order. There may be 64.
type Marks uint64

// None reports whether no dialect knows the span. Then its role is Nothing.
func (m Marks) None() bool { return m == 0 }

// Marks finds the marks on a span. Most spans have none and need no further work.
func (c Scope) Marks(span ptrace.Span) Marks { return c.marks | findMarks(span.Attributes()) }

// ReadMarked reads a span with these marks into r, as the package says for every dialect. It is false exactly if the role is Nothing. A Reading is
// large, so the caller says where it stays. It is overwritten.
func (c Scope) ReadMarked(span ptrace.Span, m Marks, scratch *Scratch, r *Reading) bool {
	s := &scratch.source
	s.scope, s.span, s.attributes, s.wrapped, s.cut, s.scratch = c.name, span, mapOf(span.Attributes()), c.NoOutputs, c.NoArguments, scratch
	*r = Reading{}
	for found := m; found != 0; found &= found - 1 { // the lowest bit is that of the first dialect
		s.others = found & (found - 1)
		if dialects[bits.TrailingZeros64(uint64(found))].read(s, r) {
			break
		}
	}
	switch r.Role {
	case ToolCall:
		s.finish(r)
		if r.Of = s.text(madeBy...); r.Of == r.Call.Name || r.Role != ToolCall { // the agent that the tool runs
			r.Of = ""
		}
	case ModelCall:
		r.Of = s.text(madeBy...)
	}
	r.Conversation = cmp.Or(s.attributes.conversation(c.Conversations, attributes.Text), r.Conversation)
	*s = source{scope: c.name} // for [Messages.Response]
	return r.Role != Nothing
}

// Conversation is the ID of the conversation that the first of some attributes has which a user chose. A value that is no text counts as its
// JSON.
func Conversation(span ptrace.Span, keys []string) string {
	m := mapOf(span.Attributes())
	return m.conversation(keys, attributes.Text)
}

// How the names of scopes begin. Instrumentations for Python are named after their module.
const (
	openInferenceJS     = "@arizeai/openinference-"
	openInferencePy     = "openinference."
	openInferenceModule = openInferencePy + "instrumentation."
	openTelemetryModule = "opentelemetry.instrumentation."
	agentOpsFramework   = "agentops.instrumentation.agentic."
	agentFramework      = "agent_framework"
	openAIAgents        = "openai_agents"
	openLITModule       = "openlit.instrumentation."
	openLITAgents       = openLITModule + openAIAgents
	trpcAgentScope      = "trpc.agent.go"
)

// toolSpans are the scopes of instrumentations that are known to write a span for each tool that is executed: the names behind a prefix, or all with
// the prefix. An instrumentation of a model's client sees the request for a tool, and never its execution. An application's own tracer may do either,
// and so may an unknown one. OpenLLMetry's instrumentations of CrewAI and Haystack, and OpenInference's of Haystack, write no tool spans.
// Source: https://github.com/vercel/ai, packages/otel; https://github.com/microsoft/agent-framework, observability.py;
// https://github.com/microsoft/semantic-kernel, Diagnostics; https://github.com/spring-projects/spring-boot; https://github.com/dotnet/extensions,
// OpenTelemetryConsts.cs; https://github.com/Arize-ai/openinference; https://github.com/traceloop/openllmetry;
// https://github.com/open-telemetry/opentelemetry-python-contrib and opentelemetry-python-genai; https://github.com/ag2ai/ag2;
// https://github.com/openlit/openlit; https://github.com/QwenLM/qwen-code; https://github.com/mistralai/mistral-vibe.
var toolSpans = []struct {
	prefix string
	names  []string
}{
	{"", []string{
		"ai", "gen_ai", // the AI SDK
		"@mastra/otel-exporter", "autogen-core", "com.anthropic.claude_code.tracing", copilotScope, adkScope, "genkit-tracer", "livekit-agents",
		"logfire.claude_agent_sdk", logfireAgentsScope,
		"org.springframework.boot", // Spring AI
		"pydantic-ai", "strands-agents", "strands.telemetry.tracer", traceloopLangChainJS, "@arizeai/openinference-tanstack-ai",
		"mistral_vibe", "qwen-code", trpcAgentScope,
		"agentscope", "io.agentscope", "io.quarkus.opentelemetry",
	}},
	{agentFramework, nil}, {"Experimental.Microsoft.Agents.AI", nil}, {"Experimental.Microsoft.Extensions.AI", nil},
	{"semantic_kernel.", nil}, {"Microsoft.SemanticKernel", nil}, {agentOpsFramework, nil},
	{openInferenceModule, []string{
		"ag2", "agno", "autogen", "autogen_agentchat", "beeai", "claude_agent_sdk", "crewai", "dspy", "google_adk",
		"langchain", "llama_index", openAIAgents, "pipecat", "pydantic_ai", "smolagents", "strands_agents",
	}},
	{openInferenceJS + "instrumentation-", []string{
		"beeai", "bedrock-agent", "claude-agent-sdk", "langchain", "langchain-v0", "openai-agents",
	}},
	{openLITModule, []string{
		"agent_framework", "agno", "claude_agent_sdk", "google_adk", "langchain", openAIAgents, "pydantic_ai", "smolagents",
	}},
	{openTelemetryModule, []string{
		"ag2", "agno", "langchain", "llamaindex", openAIAgents,
		"genai.agentscope", "genai.agno", "genai.langchain", "genai." + openAIAgents,
	}},
}

// RunsAllTools reports whether the scope is that of a framework which runs all tools that its models request, and writes a span for each. Results
// that models are shown prove no further calls there: the framework also writes them for requests that it refused.
func (c Scope) RunsAllTools() bool {
	switch c.name {
	case "pydantic-ai", "strands-agents", "strands.telemetry.tracer", "com.anthropic.claude_code.tracing", adkScope, "livekit-agents", logfireAgentsScope:
		return true
	}
	return strings.HasSuffix(c.name, openAIAgents) || strings.HasSuffix(c.name, "-openai-agents") // where a handoff has a result as well
}

func writesToolSpans(scope string) bool {
	for i := range toolSpans {
		known := &toolSpans[i]
		if name, ok := strings.CutPrefix(scope, known.prefix); ok && (known.names == nil || slices.Contains(known.names, name)) {
			return true
		}
	}
	return false
}

// look looks a scope up, unless that is the last one.
func (d *Scratch) look(scope string) {
	if last := &d.last; last.scope != scope {
		last.scope, last.toolSpans = scope, writesToolSpans(scope)
		last.results = strings.Contains(scope, "mcp") || strings.Contains(scope, "agentscope")
	}
}

// messagesOnly is the trait of a model call: [MessagesOnly], unless the instrumentation is known to write tool spans.
func (s *source) messagesOnly() Traits {
	s.scratch.look(s.scope)
	if s.scratch.last.toolSpans || s.marker(koogEvent) != "" {
		return 0
	}
	return MessagesOnly
}

// ownTools are tools that frameworks add to those of an application, to end a run or to give its result a form. A model requests them like any other,
// but they are no calls. The last two are OpenLIT's span for each list of a server's tools, and tRPC-Agent's for joined responses to parallel
// calls. A server may give a tool the same name, so a span must also have the framework's scope or mark.
// Source: https://github.com/google/adk-python, tools/set_model_response_tool.py; https://github.com/agentscope-ai/agentscope, agent;
// https://github.com/strands-agents/sdk-typescript, structured-output; https://github.com/pydantic/pydantic-ai, _output.py;
// https://github.com/google-gemini/gemini-cli, agents/local-executor.ts; https://github.com/mozilla-ai/any-agent, frameworks;
// https://github.com/openlit/openlit, sdk/python/src/openlit/instrumentation/openai_agents/utils.py;
// https://github.com/trpc-group/trpc-agent-go, internal/telemetry/trace.go.
var ownTools = [...]ownTool{
	{name: "set_model_response", scope: adkScope, mark: "gcp.vertex.agent.event_id"},
	{name: "set_model_response", scope: openInferenceModule + "google_adk"},
	{name: "generate_response", scope: "*agentscope", description: "Generate a response. Note only the input argument"},
	{name: "strands_structured_output", scope: "strands-agents", mark: strandsStatus},
	{name: "final_result", scope: "pydantic-ai"},
	{name: "complete_task", scope: "gemini-cli", description: "Call this tool to submit your final"},
	{name: "final_output", scope: "any_agent"},
	{name: finalAnswer, scope: beeAIScope},
	{name: finalAnswer, scope: smolagentsScope, span: "FinalAnswerTool", description: finalAnswerText},
	{name: "mcp_list_tools", scope: openLITAgents},
	{name: "(merged tools)", scope: trpcAgentScope, description: "(merged tools)"},
}

// An ownTool says how a framework's tool is told from an application's of the same name.
type ownTool struct {
	name        string
	scope       string // which may have a star
	mark        string // an attribute of the framework's, in place of its scope
	description string // how the tool's description begins, where the name is not telling enough
	span        string // the name of the span, if it is a class of the framework's: a server may give a tool any name and description
}

// isOwnTool reports whether a tool is the framework's own, by its name and the span. The span of a request has no description of the tool.
func (s *source) isOwnTool(name string, described bool) bool {
	for i := range ownTools {
		own := &ownTools[i]
		if own.name != name || own.span != "" && s.span.Name() != own.span {
			continue
		}
		if own.description != "" && (!described || !strings.HasPrefix(s.text(genAIToolDescription, "tool.description"), own.description)) {
			continue
		}
		if _, is := starred(own.scope, s.scope); is || own.mark != "" && s.text(own.mark) != "" {
			return true
		}
	}
	return false
}

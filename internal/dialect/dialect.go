package dialect

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Role is what a span is to an agent run.
type Role uint8

const (
	Nothing   Role = iota // no dialect knows the span, or the one that does finds nothing in it
	ToolCall              // the span is one tool call
	Agent                 // the span is one execution of an agent
	Workflow              // the span groups agents or calls, and stands in where no agent span is
	ModelCall             // the span is a model's answer, which may ask for calls
	Session               // the span is a protocol's session: it stands for no run, whatever is below it
	Step                  // the span is a step of the agent whose run its parent is, if no span stands for that agent
)

// String returns the role in lower case, in words.
func (r Role) String() string {
	return [...]string{"nothing", "tool call", "agent", "workflow", "model call", "session", "step"}[r]
}

// A Reading is what a dialect understood of one span.
type Reading struct {
	Role Role
	// Agent is the agent's or workflow's name, "" if the span does not tell. A tool call has one only if it runs an
	// agent: then its span is that agent's as well, because no other span stands for it.
	Agent string
	// Conversation is the id of the conversation that the run belongs to, "" if the span does not tell.
	Conversation string
	// CallID is the id that the model gave the call, "" if the span does not tell.
	CallID string
	// Call is the tool call; meaningful for the role ToolCall only.
	Call scoring.Call
	// Traits say what is peculiar about the span.
	Traits Traits
	// Messages says how a model call's messages are written; for the role ModelCall only.
	Messages Messages
}

// Traits are peculiarities of a span that decide how it is put together with others.
type Traits uint8

const (
	// Outcome: the span tells how a call ended, and another span of the same name and arguments that it was made.
	Outcome Traits = 1 << iota
	// Bare: the arguments are the value of the call's only argument, and the argument's name is lost.
	Bare
	// Folded: the call's name has lost the case or the separators of the tool's name.
	Folded
	// Protocol: the span is a protocol's, such as MCP's. Who made the call is told by others, if by anyone.
	Protocol
	// Sole: nothing says that the instrumentation writes tool spans, so what the model asked for may be all that is told
	// of calls. A model call is Sole unless its instrumentation is known to write them.
	Sole
	// Refused: the output says that there is no such tool, in words that a tool could return as well. The call counts, unless
	// the agent's own span lists its tools and this is none of them: see [Tools].
	Refused
)

// Has reports whether all of want are among t.
func (t Traits) Has(want Traits) bool { return t&want == want }

// A Scope is an instrumentation scope: what all spans below it have in common. [ScopeOf] makes one.
type Scope struct {
	name    string
	markers markers
	wrapped bool
}

// ScopeOf looks at the name of an instrumentation scope. It is asked once for many spans.
func ScopeOf(name string) Scope { return Scope{name: name, markers: scopeMarkers(name)} }

// WithoutOutputs is the scope for who reads no outputs of tools. They may stay in what a framework wrapped them in,
// because to take them out they have to be decoded; all else is the same.
func (c Scope) WithoutOutputs() Scope {
	c.wrapped = true
	return c
}

// dialects are asked in order, each only if the span has its marker; the first to know the span answers.
// An instrumentation's own dialect stands before the standards that its spans carry as well.
var dialects = [...]struct {
	name   string
	marker markers
	read   func(source) (Reading, bool)
}{
	{"vercel", vercelMarker, readVercel},
	{"adk", adkMarker, readADK},
	{"strands", strandsMarker, readStrands},
	{"claude", claudeMarker, readClaude},
	{"voltagent", voltAgentMarker, readVoltAgent},
	{"pydantic", pydanticMarker, readPydantic},
	{"langsmith", langSmithMarker, readLangSmith},
	{"langfuse", langfuseMarker, readLangfuse},
	{"traceloop", traceloopMarker, readTraceloop},
	{"genkit", genkitMarker, readGenkit},
	{"mastra", mastraMarker, readMastra},
	{"springai", springAIMarker, readSpringAI},
	{"haystack", haystackMarker, readHaystack},
	{"mlflow", mlflowMarker, readMLflow},
	{"agentops", agentOpsMarker, readAgentOps},
	{"dify", difyMarker, readDify},
	{"livekit", liveKitMarker, readLiveKit},
	{"logfire", logfireMarker, readLogfire},
	{"gen_ai", genAIMarker, readGenAI},
	{"mcp", mcpMarker, readMCP},
	{"openinference", openInferenceMarker, readOpenInference},
}

// Read says what span is to an agent run.
// The second result is false exactly if the role is Nothing.
//
// Laws:
//   - a span without a marker, in its attributes or its scope, is Nothing: no call is ever invented;
//   - the same span gives the same Reading, and is not changed;
//   - a Reading's texts are valid UTF-8.
func (c Scope) Read(span ptrace.Span) (Reading, bool) {
	m := c.Marks(span)
	if m.None() {
		return Reading{}, false
	}
	return c.ReadMarked(span, m)
}

// Marks are what a span carries that one of the dialects may know.
type Marks struct{ found markers }

// None reports whether no dialect knows the span: to [Scope.Read] it is Nothing.
func (m Marks) None() bool { return m.found == 0 }

// Marks is the first look at a span. It is all that is asked of most spans.
func (c Scope) Marks(span ptrace.Span) Marks {
	return Marks{c.markers | findMarkers(span.Attributes())}
}

// ReadMarked is Read, for a span whose marks are known.
func (c Scope) ReadMarked(span ptrace.Span, m Marks) (Reading, bool) {
	return ask(source{scope: c.name, span: span, attributes: span.Attributes(), found: m.found, wrapped: c.wrapped})
}

// ask puts the span to the dialects whose marker was found.
func ask(s source) (Reading, bool) {
	for i := range dialects {
		if s.found&dialects[i].marker == 0 {
			continue
		}
		if reading, known := dialects[i].read(s); known {
			return reading, reading.Role != Nothing
		}
	}
	return Reading{}, false
}

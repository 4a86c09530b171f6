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
	ModelCall             // the span is a model's answer that asks for several calls at once
)

// String returns "nothing", "tool call", "agent", "workflow" or "model call".
func (r Role) String() string {
	return [...]string{"nothing", "tool call", "agent", "workflow", "model call"}[r]
}

// A Reading is what a dialect understood of one span.
type Reading struct {
	Role Role
	// Agent is the agent's or workflow's name, "" if the span does not tell. It is empty for a tool call.
	Agent string
	// Conversation is the id of the conversation that the run belongs to, "" if the span does not tell.
	Conversation string
	// CallID is the id that the model gave the call, "" if the span does not tell.
	CallID string
	// Call is the tool call; meaningful for the role ToolCall only.
	Call scoring.Call
	// Asked are the ids of the calls that a model asked for, in its order; for the role ModelCall only.
	Asked []string
}

// dialects are asked in order, each only if the span has its marker; the first to know the span answers.
// An instrumentation's own dialect stands before the standards that its spans carry as well.
var dialects = [...]struct {
	name   string
	marker markers
	read   func(source) (Reading, bool)
}{
	{"vercel", vercelMarker, readVercel},
	{"gen_ai", genAIMarker, readGenAI},
	{"openinference", openInferenceMarker, readOpenInference},
}

// Read says what span is to an agent run; scope is the name of its instrumentation scope.
// The second result is false exactly if the role is Nothing.
//
// Laws:
//   - a span without a marker key is Nothing: no call is ever invented;
//   - the same span gives the same Reading, and is not changed;
//   - a Reading's texts are valid UTF-8.
func Read(scope string, span ptrace.Span) (Reading, bool) {
	attributes := span.Attributes()
	found := findMarkers(attributes)
	if found == 0 {
		return Reading{}, false
	}
	return ask(found, source{scope: scope, span: span, attributes: attributes})
}

// ask puts the span to the dialects whose marker was found.
func ask(found markers, s source) (Reading, bool) {
	for _, d := range &dialects {
		if found&d.marker == 0 {
			continue
		}
		if reading, known := d.read(s); known {
			return reading, reading.Role != Nothing
		}
	}
	return Reading{}, false
}

package record

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
)

// sender is who recorded a fact. The zero sender is unknown.
type sender struct {
	process agentrun.Process
	scope   agentrun.Scope
}

// factKind says what the next bytes of an Evidence are. The numbers are stored, so they never change.
type factKind byte

const (
	factParent       factKind = 1
	factAgentSpan    factKind = 2
	factStep         factKind = 3
	factCall         factKind = 4
	factResponse     factKind = 5
	factConversation factKind = 6
	factToolResult   factKind = 7
	factClosedRun    factKind = 8
	factTrace        factKind = 9
	factCut          factKind = 10
	factSource       factKind = 11
	factDispute      factKind = 12
	factClosedName   factKind = 13 // of the closed run before it
	factStepName     factKind = 14 // the name that steps give the agent above them, "" if they name different agents
	factShares       factKind = 15 // of the response before it
)

// sourceBytes is the length of a factSource.
const sourceBytes = 1 + 8 + 4

// Facts are decoded Evidence.
type Facts struct {
	Trace pcommon.TraceID
	// Parents has spans with their parents, and Disputed those with several known parents.
	Parents  []agentrun.Span
	Disputed []agentrun.SpanKey
	// Steps are of agents. A step without an ID is of an inferred agent, which is its parent.
	Steps         []agentrun.Span
	StepNames     []StepName
	AgentSpans    []AgentSpan
	Calls         []Call
	Responses     []agentrun.ModelResponse
	Results       []ToolResult
	Presences     []Presence
	ClosedRuns    closedruns.Runs
	Conversations []Conversation
	// Cut is the latest end of a call that was left out, 0 if there is none.
	Cut    pcommon.Timestamp
	sender sender // of the next facts
}

// AgentSpan is a span that may represent a run.
type AgentSpan struct {
	agentrun.Span
	Kind agentrun.AnchorKind
}

// StepName is the name of the agent that a span represents, as the steps below the span have it. It is "" if they name
// different agents.
type StepName struct {
	Above agentrun.SpanKey
	Agent string
}

// Call is a call of an open trace.
type Call struct {
	agentrun.Call
	// Inherited and Counted are as in [agentrun.PendingCall].
	Inherited, Counted bool
}

// ToolResult is a result that a model of a process was shown.
type ToolResult struct {
	agentrun.TimedResult
	Process agentrun.Process
}

// Conversation is the conversation that a process names.
type Conversation struct {
	Process agentrun.Process
	ID      string
}

// Presence is what a process has in a trace: calls, calls that another trace records too, and anchors. That of the unknown
// process is about the whole trace.
type Presence struct {
	Process               agentrun.Process
	Called, SharesCalls   bool
	Agent, Workflow, Root bool
	// Truncated: calls were left out. Contradicted: spans contradict each other.
	Truncated, Contradicted bool
}

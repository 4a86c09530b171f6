package record

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
)

// sender is who told a fact. The zero source is unknown.
type sender struct {
	process agentrun.Process
	scope   agentrun.Scope
}

// factKind says what stands in the next bytes of an Evidence. The numbers are stored, so they never change.
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
	factClosedName   factKind = 13 // of the closed run in front of it
)

// sourceBytes are those of a factSource.
const sourceBytes = 1 + 8 + 4

// Facts are decoded Evidence.
type Facts struct {
	Trace pcommon.TraceID
	// Parents are spans with their parents, and Disputed those of which several are known.
	Parents  []agentrun.Span
	Disputed []agentrun.SpanKey
	// Steps are of agents. A step without an ID is of an inferred agent, which is its parent.
	Steps         []agentrun.Span
	AgentSpans    []AgentSpan
	Calls         []Call
	Responses     []agentrun.ModelResponse
	Results       []ToolResult
	Presences     []Presence
	ClosedRuns    closedruns.Runs
	Conversations []Conversation
	// Cut is when the last call ended that was left out, 0 if none was.
	Cut    pcommon.Timestamp
	sender sender // of the facts that come next
}

// AgentSpan is a span that may stand for a run.
type AgentSpan struct {
	agentrun.Span
	Kind agentrun.AnchorKind
}

// Call is a call of an open trace.
type Call struct {
	agentrun.Call
	// Inherited and Counted are as in [agentrun.PendingCall].
	Inherited, Counted bool
}

// ToolResult is what a model of a process was told.
type ToolResult struct {
	agentrun.TimedResult
	Process agentrun.Process
}

// Conversation is the conversation that a process tells of.
type Conversation struct {
	Process agentrun.Process
	ID      string
}

// Presence is what a process has in a trace: calls, some of which another trace tells of as well, and anchors. With the
// unknown process it is what is known of the whole trace.
type Presence struct {
	Process               agentrun.Process
	Called, SharesCalls   bool
	Agent, Workflow, Root bool
	// Truncated: calls were left out. Contradicted: spans contradict each other.
	Truncated, Contradicted bool
}

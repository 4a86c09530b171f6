package agentrun

import (
	"bytes"
	"cmp"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Span is what grouping needs of any span: who it is, when it was, and which process sent it.
type Span struct {
	Trace      pcommon.TraceID
	ID, Parent pcommon.SpanID
	Start, End pcommon.Timestamp
	Process    Process
}

// Of reads the ids and times of a span, whose process is up to the caller. An end before the start counts as the start.
func Of(s ptrace.Span) Span {
	return Span{
		Trace:  s.TraceID(),
		ID:     s.SpanID(),
		Parent: s.ParentSpanID(),
		Start:  s.StartTimestamp(),
		End:    max(s.StartTimestamp(), s.EndTimestamp()),
	}
}

// contains reports whether t lies within s in time.
func (s Span) contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// compareSpans is the order of calls: start, end, id, process.
func compareSpans(a, b Span) int {
	return cmp.Or(
		cmp.Compare(a.Start, b.Start),
		cmp.Compare(a.End, b.End),
		bytes.Compare(a.ID[:], b.ID[:]),
		cmp.Compare(a.Process, b.Process),
	)
}

// compareStart puts what began first in front; of two that began together the lower id.
func compareStart(a, b Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.ID[:], b.ID[:]), cmp.Compare(a.Process, b.Process))
}

// AnchorKind says what entitles a span to stand for a run. A lower kind goes first.
type AnchorKind uint8

const (
	Agent    AnchorKind = iota // an agent span
	Workflow                   // a workflow span: stands in where a trace has no agent span
	Root                       // a local root: stands in where it has no workflow span either
	Tool                       // a tool call's span: stands for no run, and goes with the one that has its call
)

// An Anchor is a held span that stands, or may stand, for a run; or that goes with one, if its kind is Tool.
type Anchor struct {
	Span
	Kind  AnchorKind
	Scope Scope
	// Wire is how long the span is as OTLP, in bytes, without its Origin.
	Wire uint32
	// Agent is the agent's name and Conversation the conversation's id, "" where the span does not tell.
	Agent, Conversation string
	// Held is the span itself. Whoever has the Anchor owns it.
	Held ptrace.Span
	// Origin is where the span came from; spans of one batch share it, so nobody changes it.
	Origin *Origin
	// Size is what the span keeps alive, in bytes, without its Origin.
	Size int
	// Partial: evidence of its run is known to be missing.
	Partial bool
	// Record is for the caller: the number under which it stored the span. Checkpoint is that of the closing that brought
	// the anchor out.
	Record     uint32
	Checkpoint *Checkpoint
}

// Origin is the resource and the scope that a held span came with. Both are without spans. The origins of one resource
// in one batch share the resource.
type Origin struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	// First is one of the origins that share the resource, the same for all of them. It may be this one.
	First *Origin
	// OfResource and OfScope are what the resource and the scope take.
	OfResource, OfScope Weight
	// Users and ResourceUsers are for the caller: how many held spans keep the scope alive, and in First how many origins
	// the resource.
	Users, ResourceUsers int32
}

// Weight is what something takes, in bytes.
type Weight struct {
	Heap uint32 // in memory, with its overhead
	Wire uint32 // as OTLP
}

// A Call is one tool call of a run.
type Call struct {
	scoring.Call
	Span
	Scope Scope
	// CallID is what the model called it, "" where no span told.
	CallID string
	Traits
	FromOtherProcess FromOtherProcess
	source           callSource
	rank             uint16 // the place in the model's response
}

// FromModel reports whether only a model told of the call, so that the Span is the model's.
func (c *Call) FromModel() bool { return c.source == sourceModel }

// callSource is how a call stands to the run that has it.
type callSource uint8

const (
	sourceOwn    callSource = iota // it is the run's, and has a span
	sourceShared                   // it is of a run inside of this one, and counts for this one as well
	sourceModel                    // it is the run's, and only a model told of it
)

// Traits are what is uncertain about a call as a single span tells it. They are examined when its run closes, by the
// other spans of the run.
type Traits struct {
	// Outcome: the span tells how a call ended, and another one of the same name and arguments that it was made.
	ResultOnly bool
	// Bare: the arguments are the value of the only argument, without its name.
	UnnamedArgument bool
	// Folded: the name has lost its case or its separators.
	NormalizedName bool
	// Protocol: the span is a protocol's, and who made the call is told by others, if by anyone.
	MCP bool
	// Served: the span is that of the protocol's server, which is called by an agent elsewhere.
	MCPServer bool
	// Refused: the output says that there is no such tool. Nothing was called if the agent's list of tools says so too.
	UnknownTool bool
}

// FromOtherProcess says what of a call only another process recorded. A verdict must not depend on that and be complete.
type FromOtherProcess struct{ Status, Arguments, Output bool }

// An ModelResponse is what a model call tells of tool calls.
type ModelResponse struct {
	Span
	Scope    Scope
	Requests []ToolRequest
	Results  []ToolResult
	counted  bool // it has told of the calls of a run that has closed
	// Sole: maybe nothing else tells of these calls, because the instrumentation is not known to write tool spans.
	MessagesOnly bool
}

// ToolRequest is a call that a model asked for.
type ToolRequest struct {
	ID, Name  string
	Arguments scoring.Payload
}

// ToolResult is what a model was told of the outcome of a call.
type ToolResult struct {
	ID     string
	Output scoring.Payload
	Failed bool
}

// Sources says where the calls of a run are taken from.
type Sources uint8

const (
	// Auto takes the tool spans, and from messages what no tool span can tell: see [told].
	Auto     Sources = iota
	Spans            // tool spans only
	Messages         // what models asked for, with what tool spans tell of it
)

// CloseReason is what closed a run.
type CloseReason uint8

const (
	ByAnchor   CloseReason = iota // its anchor came, and the wait is over
	ByIdle                        // nothing came for the idle timeout
	ByLimit                       // a limit was reached
	ByShutdown                    // the processor shut down
)

// String returns the cause as it is written on spans.
func (c CloseReason) String() string { return [...]string{"anchor", "idle", "limit", "shutdown"}[c] }

// A Run is closed; an open run has no exported type.
type Run struct {
	Trace pcommon.TraceID
	// Anchors is the anchor, and further copies of the same span if it came more than once. Empty: it never came.
	Anchors []Anchor
	// Companions are the anchors of other runs that turned out to be parts of this one. They go on without a verdict, best
	// together with it. So do the spans of its calls, of the kind Tool, if such are held.
	Companions []Anchor
	// Calls are in order.
	Calls    []Call
	ClosedBy CloseReason
	// Complete is false where calls or the anchor may be missing.
	Complete bool
	// Contradicted: spans contradict each other, and either may be true. DependsOnOthers: only another process recorded
	// some of the calls. A run of either kind is not complete.
	Contradicted, DependsOnOthers bool
	// Mute: calls are to be taken from models' messages, and though tools were called no message tells of it.
	NoMessages bool
	// Headless: the run had closed when its anchor came, and its calls were judged without it.
	AnchorLate bool
	// Conversation is the id of the conversation that the run belongs to, "" where no span tells.
	Conversation string
	// Size is what the calls keep alive, in bytes.
	Size int
	// Checkpoints are those of the run, and of others that became a part of it, without an anchor.
	Checkpoints []*Checkpoint

	// joint: another trace tells of the same calls.
	sharesCalls bool
	// step: the anchor is itself a model call, so the run is one step of a longer one; answered are the call ids that
	// lead to the step before.
	step        bool
	emptied     bool // another run turned out to have all of its calls
	answeredIDs []string
}

// empty reports whether the run tells nothing.
func (r *Run) empty() bool { return len(r.Calls) == 0 && len(r.answeredIDs) == 0 }

// A ClosedBatch is what came out of a Buffer in one turn.
type ClosedBatch struct {
	Runs []Run
	// Passthrough are held spans that stand for no run. They go on as they are.
	Passthrough []Anchor
	// Late is, for each call that came after its run had closed, how long after that it came.
	Late []time.Duration
	// Duplicates is how many spans told of a call that another span had told of.
	Duplicates int
	// Checkpoints are those that have a claim less: see [Checkpoint].
	Checkpoints []*Checkpoint
}

// Add puts what is in o behind what is in h.
func (h *ClosedBatch) Add(o ClosedBatch) {
	h.Runs = append(h.Runs, o.Runs...)
	h.Passthrough = append(h.Passthrough, o.Passthrough...)
	h.Late = append(h.Late, o.Late...)
	h.Duplicates += o.Duplicates
	h.Checkpoints = append(h.Checkpoints, o.Checkpoints...)
}

// Size is what calls and held spans keep alive, in bytes, without the origins of the spans.
func (h *ClosedBatch) Size() int64 {
	var size int64
	for i := range h.Runs {
		size += h.Runs[i].Retained()
	}
	return size + sizeOf(h.Passthrough)
}

// Retained is what the calls and held spans of the run keep alive, in bytes, without the origins of the spans.
func (r *Run) Retained() int64 { return int64(r.Size) + sizeOf(r.Anchors) + sizeOf(r.Companions) }

// sizeOf is what anchors keep alive, in bytes.
func sizeOf(anchors []Anchor) (size int64) {
	for i := range anchors {
		size += int64(anchors[i].Size)
	}
	return size
}

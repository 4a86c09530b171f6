package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
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
	SharesCalls bool
	// step: the anchor is itself a model call, so the run is one step of a longer one; answered are the call ids that
	// lead to the step before.
	Step        bool
	Emptied     bool // another run turned out to have all of its calls
	AnsweredIDs []string
}

// IsEmpty reports whether the run tells nothing.
func (r *Run) IsEmpty() bool { return len(r.Calls) == 0 && len(r.AnsweredIDs) == 0 }

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
	return size + HeldSize(h.Passthrough)
}

// Retained is what the calls and held spans of the run keep alive, in bytes, without the origins of the spans.
func (r *Run) Retained() int64 { return int64(r.Size) + HeldSize(r.Anchors) + HeldSize(r.Companions) }

// HeldSize is what anchors keep alive, in bytes.
func HeldSize(anchors []Anchor) (size int64) {
	for i := range anchors {
		size += int64(anchors[i].Size)
	}
	return size
}

// OwnCalls are the calls that the run's own process told.
func (r *Run) OwnCalls() []Call {
	foreign := func(c Call) bool { return c.Process.DiffersFrom(r.Process()) }
	if !slices.ContainsFunc(r.Calls, foreign) {
		return r.Calls
	}
	return slices.DeleteFunc(slices.Clone(r.Calls), foreign)
}

// Process is the one that the run's span comes from, or if it has none its first call.
func (r *Run) Process() Process {
	switch {
	case len(r.Anchors) > 0:
		return r.Anchors[0].Process
	case len(r.Calls) > 0:
		return r.Calls[0].Process
	}
	return 0
}

// Span is the anchor's, or that of the time that the calls took.
func (r *Run) Span() Span {
	if len(r.Anchors) > 0 {
		return r.Anchors[0].Span
	}
	return timeOf(r.Trace, r.Calls)
}

// HasAgentSpan reports whether an agent's or a workflow's span stands for the run.
func (r *Run) HasAgentSpan() bool { return len(r.Anchors) > 0 && r.Anchors[0].Kind != Root }

// timeOf is from the start of the first call to the end of the last one.
func timeOf(id pcommon.TraceID, calls []Call) Span {
	s := Span{Trace: id}
	for i := range calls {
		if i == 0 {
			s.Start = calls[i].Start
		}
		s.End = max(s.End, calls[i].End)
	}
	return s
}

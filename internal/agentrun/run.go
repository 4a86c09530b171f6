package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// CloseReason says what closed a run.
type CloseReason uint8

const (
	ByAnchor   CloseReason = iota // its anchor arrived, and the wait is over
	ByIdle                        // nothing arrived for the idle timeout
	ByLimit                       // a limit was reached
	ByShutdown                    // the processor shut down
)

// String returns the cause as it is written on spans.
func (c CloseReason) String() string { return [...]string{"anchor", "idle", "limit", "shutdown"}[c] }

// A Run is closed; an open run has no exported type.
type Run struct {
	Trace pcommon.TraceID
	// Anchors has the anchor, and further copies if the span arrived more than once. It is empty if the anchor never
	// arrived.
	Anchors []Anchor
	// Companions are the anchors of other runs that turned out to be parts of this one, and, of kind Tool, held spans of its
	// calls. They are forwarded without a verdict, preferably together with the run.
	Companions []Anchor
	// Calls are in order.
	Calls    []Call
	ClosedBy CloseReason
	// Complete is false where calls or the anchor may be missing.
	Complete bool
	// Contradicted: spans contradict each other, and each may be true. DependsOnOthers: only another process recorded some
	// of the calls. A run of either kind is not complete.
	Contradicted, DependsOnOthers bool
	// NoMessages: calls must come from models' messages, and tools were called, but no message records a call.
	NoMessages bool
	// AnchorLate: the run had closed before its anchor arrived, and its calls were judged without it.
	AnchorLate bool
	// Conversation is the ID of the run's conversation, or "" if no span has one.
	Conversation string
	// Size is how many bytes the calls keep alive.
	Size int
	// Checkpoints are those of the run, and of anchorless runs that became a part of it.
	Checkpoints []*Checkpoint

	// SharesCalls: another trace records the same calls.
	SharesCalls bool
	// Step: the anchor is itself a model call, so the run is one step of a longer one. AnsweredIDs has the call IDs that
	// lead to the step before.
	Step        bool
	Emptied     bool // another run turned out to have all of its calls
	AnsweredIDs []string
	// OthersIDs are the unique IDs of calls of the run that processes other than the run's recorded. OthersShare: one of these
	// processes recorded calls of runs in other traces too. OthersIn are their conversations, as far as these are others.
	OthersIDs   []ProcessCallID
	OthersShare bool
	OthersIn    []string
}

// IsEmpty reports whether the run has no calls and no results.
func (r *Run) IsEmpty() bool { return len(r.Calls) == 0 && len(r.AnsweredIDs) == 0 }

// Doubt notes for a run what makes a part of it not complete.
func (r *Run) Doubt(part *Run) {
	r.Complete = r.Complete && part.Complete
	r.Contradicted, r.DependsOnOthers = r.Contradicted || part.Contradicted, r.DependsOnOthers || part.DependsOnOthers
	r.ClosedBy = max(r.ClosedBy, part.ClosedBy)
}

// A ClosedBatch is everything that one call of a Buffer closed.
type ClosedBatch struct {
	Runs []Run
	// Passthrough are held spans that represent no run. They are forwarded unchanged.
	Passthrough []Anchor
	// Late has, for each call that arrived after its run had closed, how much later it arrived.
	Late []time.Duration
	// Duplicates is how many spans recorded a call that another span had recorded.
	Duplicates int
	// Checkpoints are those that wait for one thing less: see [Checkpoint].
	Checkpoints []*Checkpoint
}

// Add appends the content of o to h.
func (h *ClosedBatch) Add(o ClosedBatch) {
	h.Runs = append(h.Runs, o.Runs...)
	h.Passthrough = append(h.Passthrough, o.Passthrough...)
	h.Late = append(h.Late, o.Late...)
	h.Duplicates += o.Duplicates
	h.Checkpoints = append(h.Checkpoints, o.Checkpoints...)
}

// Cut says that a limit closed the runs, so calls may be missing.
func (h *ClosedBatch) Cut() {
	for i := range h.Runs {
		h.Runs[i].Complete, h.Runs[i].ClosedBy = false, max(h.Runs[i].ClosedBy, ByLimit)
	}
}

// IsEmpty reports whether nothing closed.
func (h *ClosedBatch) IsEmpty() bool {
	return len(h.Runs)+len(h.Passthrough)+len(h.Late)+h.Duplicates+len(h.Checkpoints) == 0
}

// Size is how many bytes calls and held spans keep alive, without the origins of the spans.
func (h *ClosedBatch) Size() int64 {
	var size int64
	for i := range h.Runs {
		size += h.Runs[i].Retained()
	}
	return size + HeldSize(h.Passthrough)
}

// Retained is how many bytes the calls and held spans of the run keep alive, without the origins of the spans.
func (r *Run) Retained() int64 { return int64(r.Size) + HeldSize(r.Anchors) + HeldSize(r.Companions) }

// HeldSize is how many bytes anchors keep alive.
func HeldSize(anchors []Anchor) (size int64) {
	for i := range anchors {
		size += int64(anchors[i].Size)
	}
	return size
}

// OwnCalls returns the calls that the run's own process recorded.
func (r *Run) OwnCalls() []Call {
	foreign := func(c Call) bool { return c.Process.DiffersFrom(r.Process()) }
	if !slices.ContainsFunc(r.Calls, foreign) {
		return r.Calls
	}
	return slices.DeleteFunc(slices.Clone(r.Calls), foreign)
}

// Process is the process of the run's span, or of its first call if it has no span.
func (r *Run) Process() Process {
	switch {
	case len(r.Anchors) > 0:
		return r.Anchors[0].Process
	case len(r.Calls) > 0:
		return r.Calls[0].Process
	}
	return 0
}

// Span is the span of the anchor, or else the time of the calls.
func (r *Run) Span() Span {
	if len(r.Anchors) > 0 {
		return r.Anchors[0].Span
	}
	return timeOf(r.Trace, r.Calls)
}

// HasAgentSpan reports whether an agent's or a workflow's span represents the run.
func (r *Run) HasAgentSpan() bool { return len(r.Anchors) > 0 && r.Anchors[0].Kind != Root }

// timeOf is the time from the start of the first call to the end of the last one.
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

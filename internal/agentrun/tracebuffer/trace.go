package tracebuffer

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/allowance"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
)

// The sizes of the parts of a trace in bytes, measured once and rounded up.
const (
	traceBytes  = 480
	anchorBytes = 220
	// callBytes is the size of a Call without its texts.
	callBytes         = 200
	recordNumberBytes = 8
	repeatBytes       = 48
	// awaitedBytes is the size of an awaited anchor.
	awaitedBytes = 56
)

// trace is the state of one open agentic trace.
type trace struct {
	id         pcommon.TraceID
	prev, next *trace // in Buffer.idle
	lastSeen   time.Time

	parents parents.Table

	calls        []agentrun.PendingCall   // calls that wait for their run
	responses    []agentrun.ModelResponse // likewise
	requestCount int                      // how many calls the responses ask for
	toolResults  byprocess.Results        // that models were shown
	// repeats has the places of the calls by their spans. It is filled once calls are at the limit and some were repeated.
	repeats map[agentrun.SpanKey]int32
	// nextRepeats and nextResponses are how many of them make one look for repetitions.
	nextRepeats, nextResponses int32
	deadlines                  int32 // how many point here
	remainderSize              int32 // bytes of the checkpoint's remainder, which may wait to be stored
	// allowance is the work that the trace may cost. resting: there is a deadline for the end of its rest.
	allowance allowance.Account
	resting   bool

	gone         bool // retired; a deadline that points here skips it
	called       bool // the trace has, or had, calls
	truncated    bool // calls were left out, and still are
	contradicted bool // spans contradict each other
	uncertain    bool // what may be forgotten may decide to which run a call belongs
	guests       bool // see [ownership.Examined]
	// cut is the latest end of a call that was left out, 0 if there is none. Runs that began before it may lack calls.
	cut pcommon.Timestamp
	// Links that came until unlinked, before the trace was known to be agentic, may be forgotten. begun is when it opened.
	unlinked, begun pcommon.Timestamp
	forgotten       closedruns.Dropped

	inferredAgents byprocess.InferredAgents
	stepNames      byprocess.StepNames
	// conversations is nil if no span names one.
	conversations *byprocess.Conversations
	waiting       []waiting
	// heldCallSpans has held spans of tool calls, which leave with the runs of their calls. Usually there are none; with the
	// list itself instead of a pointer, a trace would take 480 bytes of the heap instead of 448.
	heldCallSpans *[]agentrun.Anchor
	// awaitedAnchors are anchors that were seen, and are not held yet.
	awaitedAnchors []awaitedAnchor
	kinds          [agentrun.Root + 1]bool // the kinds of all anchors so far
	processTable   byprocess.Table
	closedRuns     closedruns.Runs
	settled        int64 // when it was examined last, in nanoseconds since 1970
	// records has the records of the trace since then, and checkpoint is that of the records before.
	records    []uint32
	checkpoint *agentrun.Checkpoint
	size       int
}

// awaitedAnchor is a span that may represent a run.
type awaitedAnchor struct {
	agentrun.Span
	kind agentrun.AnchorKind
}

type waiting struct {
	agentrun.Anchor
	until time.Time
}

// leaveOut notes that calls are not kept which were made, or asked for, in the time of s.
func (t *trace) leaveOut(s agentrun.Span) {
	t.truncated = true
	t.cut = max(t.cut, s.End)
}

// isCut reports whether calls of a run may have been left out, now or before other runs of the trace closed.
func (t *trace) isCut(s *ownership.Candidate) bool {
	return t.truncated || s.Truncated || t.cut > 0 && s.Start <= t.cut
}

// awaitsCut reports whether a run may still arrive that lacks calls: some were left out, and no run that began after them
// has closed. Such a trace stays open until it is idle, to mark that run.
func (t *trace) awaitsCut() bool {
	return t.cut > 0 && !slices.ContainsFunc(t.closedRuns, func(r closedruns.Run) bool { return r.Start > t.cut })
}

// awaits reports whether an anchor was seen, and is not held yet.
func (t *trace) awaits(span *agentrun.Span) bool {
	return slices.ContainsFunc(t.awaitedAnchors, func(a awaitedAnchor) bool { return a.is(span) })
}

// is reports whether the span that was seen is s.
func (a awaitedAnchor) is(s *agentrun.Span) bool {
	return a.ID == s.ID && !a.Process.DiffersFrom(s.Process)
}

func (t *trace) unlink() {
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
}

func (t *trace) insertBefore(o *trace) {
	t.prev, t.next = o.prev, o
	o.prev.next, o.prev = t, t
}

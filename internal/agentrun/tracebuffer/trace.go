package tracebuffer

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
)

// What the parts of a trace keep alive, in bytes, measured once and rounded up.
const (
	traceBytes  = 480
	anchorBytes = 220
	// callBytes are those of a Call, without its texts.
	callBytes         = 200
	inferredBytes     = 24
	toolResultBytes   = 84
	recordNumberBytes = 8
	repeatBytes       = 48
	// awaitedBytes are those of a span that is to be held.
	awaitedBytes = 56
)

// trace is what is known of one agentic trace.
type trace struct {
	id         pcommon.TraceID
	prev, next *trace // in Buffer.quiet
	lastSeen   time.Time

	parents ownership.Parents

	calls        []agentrun.PendingCall   // those that wait for their run
	responses    []agentrun.ModelResponse // likewise
	requestCount int                      // how many calls the responses ask for
	// toolResults is what models were told in each process, by the call ids that only one call can have; toldSize is what it
	// keeps alive.
	toolResults     map[agentrun.ProcessCallID]agentrun.TimedResult
	toolResultsSize int
	// repeats are the places of the calls by their spans, once there are as many as may be and some of them came again.
	repeats map[agentrun.SpanKey]int32
	// nextRepeats and nextResponses are how many of them make one look for repetitions.
	nextRepeats, nextResponses int32
	deadlines                  int32 // how many point here
	// paid is how many steps the spans that came have paid for and nobody took, and rests how often in a row it was not
	// enough. resting: there is a deadline for the end of the rest, which lasts until then.
	paid    int32
	rests   uint8
	resting bool
	until   int64 // in nanoseconds since 1970

	gone         bool // retired; what still points here passes it over
	called       bool // the trace has, or had, calls
	truncated    bool // calls were left out, and still are
	contradicted bool // spans contradict each other
	// cut is the latest end of a call that was left out, 0 if none was. Runs that began up to then may miss calls.
	cut            pcommon.Timestamp
	inferredAgents inferredAgents
	// conversations are nil where no span tells of one.
	conversations *conversations
	waiting       []waiting
	// heldCallSpans are held spans of tool calls, which go on with the runs of their calls. Mostly none are held, and with the
	// list itself a trace would take 416 bytes of the heap in place of 384.
	heldCallSpans *[]agentrun.Anchor
	// awaitedAnchors are anchors that were seen, and are not held yet.
	awaitedAnchors []awaitedAnchor
	kinds          [agentrun.Root + 1]bool // the kinds of all anchors so far
	processTable
	closedRuns closedruns.Runs
	settled    int64 // when it was examined last, in nanoseconds since 1970
	// records are what the caller stored of the trace since then, and checkpoint was given for what it stored before.
	records       []uint32
	checkpoint    *agentrun.Checkpoint
	remainderSize int // bytes of what checkpoint says is left, which may wait to be stored
	size          int
}

// awaitedAnchor is a span that may stand for a run.
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

// awaitsCut reports whether a run may still come that misses calls: some were left out, and no run that began after them
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

// wait has an anchor wait behind those that wait no longer than it. Clocks that two callers read may be written down the
// other way round.
func (t *trace) wait(w waiting) {
	at := len(t.waiting)
	for at > 0 && t.waiting[at-1].until.After(w.until) {
		at--
	}
	t.waiting = slices.Insert(t.waiting, at, w)
}

// hasDue reports whether the wait of an anchor is over. The one in front is the first.
func (t *trace) hasDue(now time.Time) bool {
	return len(t.waiting) > 0 && !t.waiting[0].until.After(now)
}

func (t *trace) unlink() {
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
}

func (t *trace) insertBefore(o *trace) {
	t.prev, t.next = o.prev, o
	o.prev.next, o.prev = t, t
}

// inferredAgents are the spans of each process below which an agent took steps, though nothing else says that they ran one.
type inferredAgents map[agentrun.Process]map[pcommon.SpanID]bool

// has reports whether there were steps below a span, of its process or of an unknown one.
func (s inferredAgents) has(span agentrun.SpanKey) bool {
	return s[span.Process][span.ID] || s[0][span.ID]
}

func (s inferredAgents) bytes() (n int) {
	for _, of := range s {
		n += processBytes + len(of)*inferredBytes
	}
	return n
}

package tracebuffer

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/queue"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/reconcile"
)

// Settings say how a Buffer works, and have the functions of its caller.
type Settings struct {
	agentrun.Settings

	// Earlier calls add for every span of a trace that was seen before the trace was known to be agentic. Spans that were seen
	// until the time that it returns may be forgotten.
	Earlier func(id pcommon.TraceID, add func(span, parent pcommon.SpanID, by agentrun.Process)) (forgotten pcommon.Timestamp)
	// Tools returns the names of the agent's tools, if its span lists them. It may be nil, or return nil.
	Tools func(agent ptrace.Span) []string
	// Known is called when the buffer begins to track a trace, and when it stops.
	Known func(id pcommon.TraceID, known bool)
	// Replay says that all spans arrive before anything closes, so that the buffer waits for no missing span.
	Replay bool
	// Stored says that spans are stored and outlive the process, so that closings return a [agentrun.Checkpoint].
	Stored bool
	// HoldCallSpans has the spans of calls that are held go with the runs that have the calls.
	HoldCallSpans bool
	// MaxClosed is how many closed runs are remembered of traces that are no longer open.
	MaxClosed int
}

// A Buffer gathers the spans of agentic traces. See the package comment. It is for one goroutine at a time.
type Buffer struct {
	set    *Settings
	traces map[pcommon.TraceID]*trace
	// last is the trace that was looked up last, or nil: spans of one trace usually arrive together.
	last *trace
	pool tracePool
	// idle is the ring of traces by last activity: idle.next has been idle longest.
	idle trace
	// due is in order, because every anchor waits equally long.
	due queue.Queue[deadline]
	// resting are traces with something due that are not examined before then.
	resting deadlines
	// earlier adds a link to the trace that is being opened.
	earlier func(span, parent pcommon.SpanID, by agentrun.Process)
	opening *trace
	// nextSweep is the number of deadlines at which those of retired traces are removed.
	nextSweep int
	decisions closedruns.Cache
	size      int
	open      int
	// work counts all work so far, that of the resolver and the reconciler included.
	work       compare.Work
	resolver   ownership.Resolver
	reconciler reconcile.Reconciler
	candidates []ownership.Candidate // empty memory for those of the next closing
	names      *compare.ToolNames    // nil until the first call, so that an idle buffer is small
}

// New returns an empty Buffer. The settings must not change once a span has come.
func New(set *Settings) *Buffer {
	b := &Buffer{set: set, traces: make(map[pcommon.TraceID]*trace), decisions: closedruns.NewCache(set.MaxClosed), pool: newTracePool(set.MaxClosed)}
	b.resolver = ownership.NewResolver(&b.set.Settings, set.Tools, &b.work)
	b.reconciler = reconcile.New(&b.set.Settings, &b.work)
	b.idle.prev, b.idle.next = &b.idle, &b.idle
	b.earlier = func(span, parent pcommon.SpanID, by agentrun.Process) {
		b.addParent(b.opening, agentrun.Span{ID: span, Parent: parent, Process: by})
	}
	return b
}

// Size is how many bytes the buffer keeps alive, as an estimate.
func (b *Buffer) Size() int { return b.size }

// Remembered is how many bytes are left of closed traces, as an estimate: the decision cache, and memory for the next
// traces.
func (b *Buffer) Remembered() int { return b.decisions.Size() + b.pool.bytes }

// Open is how many runs are open. A trace whose anchor has not arrived counts as one.
func (b *Buffer) Open() int { return b.open }

// AddParent writes down an ordinary span. It returns false if the trace is not known to be agentic.
func (b *Buffer) AddParent(now time.Time, s agentrun.Span) bool {
	t, ok := b.lookUp(s.Trace)
	if !ok {
		return false
	}
	b.touch(t, now)
	b.addParent(t, s)
	return true
}

// AddAgentSpan writes down an agent or workflow span, whether it will be held or not.
func (b *Buffer) AddAgentSpan(now time.Time, s agentrun.Span, kind agentrun.AnchorKind) {
	t := b.trace(now, s)
	b.touch(t, now)
	b.addParent(t, s)
	b.addAgentSpan(t, s, kind)
}

// AddCall writes down a tool call. If its run has closed, the call is late: it is not written down, and late is by how
// much.
func (b *Buffer) AddCall(now time.Time, c agentrun.Call) (late time.Duration, isLate bool) {
	t, late, isLate := b.traceFor(now, c.Span)
	if isLate {
		return late, true
	}
	b.touch(t, now)
	if b.names == nil {
		b.names = new(compare.ToolNames)
	}
	b.resize(t, t.addCall(b.set.PendingNamed(&c, b.names.Handle(c.Name)), b.set.MaxCalls, &b.work))
	return 0, false
}

// Hold takes an anchor, whose wait begins now. An anchor of the kind Tool waits for its run.
func (b *Buffer) Hold(now time.Time, a agentrun.Anchor) {
	t := b.trace(now, a.Span)
	b.touch(t, now)
	if a.Kind == agentrun.Tool {
		b.holdCallSpan(t, a)
		return
	}
	if len(t.waiting) > 0 {
		b.open++ // the trace itself counts as the first
	}
	if t.awaits(&a.Span) {
		t.awaitedAnchors = slices.DeleteFunc(t.awaitedAnchors, func(seen awaitedAnchor) bool { return seen.is(&a.Span) })
		b.resize(t, -awaitedBytes)
	}
	t.guests = t.guests || a.Kind == agentrun.Root && t.processTable.Of(a.Process)&byprocess.HasCalls == 0
	b.startWait(t, a, now)
	b.resize(t, anchorBytes+a.Size)
}

// lookUp returns the state of a trace, if it is open.
func (b *Buffer) lookUp(id pcommon.TraceID) (t *trace, open bool) {
	if b.last != nil && b.last.id == id {
		return b.last, true
	}
	if t, open = b.traces[id]; open {
		b.last = t
	}
	return t, open
}

// trace returns the state of the span's trace. It opens the trace if necessary.
func (b *Buffer) trace(now time.Time, s agentrun.Span) *trace {
	if t, ok := b.lookUp(s.Trace); ok {
		return t
	}
	return b.begin(now, s.Trace, b.decisions.Of(s.Trace))
}

// touch makes t the trace that was seen last. Stored records are replayed in no order of time.
func (b *Buffer) touch(t *trace, now time.Time) {
	if !now.After(t.lastSeen) {
		return
	}
	t.lastSeen = now
	if t.next != &b.idle {
		t.unlink()
		t.insertBefore(&b.idle)
	}
}

// addParent writes down the parent of s.
func (b *Buffer) addParent(t *trace, s agentrun.Span) {
	b.resize(t, t.parents.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, &b.work))
}

// addEarlierParents adds the links of spans that arrived before the trace was known to be agentic.
func (b *Buffer) addEarlierParents(t *trace) {
	b.opening = t
	t.unlinked = b.set.Earlier(t.id, b.earlier)
	b.opening = nil
}

// retire forgets t, and keeps what recognizes its late spans.
func (b *Buffer) retire(t *trace) {
	t.gone = true
	t.unlink()
	delete(b.traces, t.id)
	if b.last == t {
		b.last = nil
	}
	b.size -= t.size
	b.open--
	b.decisions.Keep(t.id, t.closedRuns)
	b.set.Known(t.id, false)
	b.pool.give(t)
}

func (b *Buffer) resize(t *trace, by int) {
	t.allowance.Pay(by)
	t.size += by
	b.size += by
}

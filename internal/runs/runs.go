package runs

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Options say what a run is. They come from the configuration alone.
type Options struct {
	// WholeTrace makes one run of a trace, with its root as anchor. Else every agent span is a run.
	WholeTrace bool
	// Include has the calls of an agent's run count for the runs around it too.
	Include bool
	// Conversations joins the runs of one conversation.
	Conversations bool
	// Sources says where calls are taken from.
	Sources Sources
	// IgnoreHosted leaves out calls of tools that the model's provider ran.
	IgnoreHosted bool
	// MaxCalls is how many calls a run may have. Those over it are not kept, and the run is not complete.
	MaxCalls int
	// KeepArguments and KeepOutput say which payloads metrics or conditions read.
	KeepArguments, KeepOutput bool
}

// CallsOf is how many calls a fact records: that of its span, or what a model asked for if perhaps no tool span records it.
func (o *Options) CallsOf(f *evidence.Fact) int {
	switch r := f.Response; {
	case f.Call != nil:
		return 1
	case r != nil && r.MessagesOnly && r.Shares == nil && o.Sources != Spans:
		return len(r.Requests)
	}
	return 0
}

// Sources says which spans record the calls of a run.
type Sources uint8

const (
	// Auto takes the tool spans, and from messages what no tool span can have.
	Auto     Sources = iota
	Spans            // tool spans only
	Messages         // what models asked for, completed by tool spans
)

// An Examination says when, and why, a log is examined.
type Examination struct {
	Now time.Time
	// Due is until when anchors arrived whose wait is over, in nanoseconds since 1970. Their runs close.
	Due int64
	// Final: nothing more is waited for. All runs close: those whose wait is over by their anchor, the others for the reason By.
	Final bool
	By    evidence.CloseReason
	// Replay: all spans have arrived, so the parents that are missing will not come.
	Replay bool
	// Lost is until when bounded tables lost something of closed runs, in nanoseconds since 1970, or 0.
	Lost int64
	// UnderWay reports whether a span may have spans below that came before the processor began, and are not known. It may be nil.
	UnderWay func(*evidence.Span) bool
	// Parted: a limit closed another log that shared an ID with this one, or kept it apart, so a part of a run may be elsewhere.
	Parted bool
	// Memory is for the closed runs. It may be nil.
	Memory []Run
	// Protocol returns the MCP spans of other traces that are of a process and name a tool: they may say how its calls ended.
	// Elsewhere returns the runs of agents of a process that closed, whose model calls may be in this log. Both may be nil.
	Protocol  func(p evidence.Process, tool string) []evidence.Fact
	Elsewhere func(evidence.Process) []*Summary
}

// mayStillArrive reports whether spans that are missing may come.
func (x *Examination) mayStillArrive() bool { return !x.Final && !x.Replay }

// A Run is closed: it has all calls that it will ever have.
type Run struct {
	Trace pcommon.TraceID
	// Anchors has the anchor, and further copies if the span arrived more than once. It is empty if the anchor never arrived.
	Anchors []evidence.Held
	// Companions are the anchors of other runs that turned out to be parts of this one, and, of kind Tool, held spans of its
	// calls. They are forwarded without a verdict, preferably together with the run.
	Companions []evidence.Held
	// Calls are in order.
	Calls []Call
	// Rejected are what models asked for and nothing executed, in order: there is no such tool, or it was not offered, or the arguments
	// were refused.
	Rejected []Call
	ClosedBy evidence.CloseReason
	// Doubts say why the run is not complete. It is complete without any.
	Doubts Doubts
	// NoMessages: calls must come from models' messages, and tools were called, but no message records a call.
	NoMessages bool
	// Conversation is the ID of the run's conversation, or "" if no span has one.
	Conversation string

	// time is the span of the anchor, or else the time of what the run has. kind is that of the span.
	time evidence.Span
	kind evidence.Kind
	// step: the anchor is itself a model call, so the run is one step of a longer one. answered has the call IDs that lead to
	// the step before, and results are those that its model was shown.
	step     bool
	answered []string
	results  []evidence.ToolResult
	// part: other parts of the run are traces of the same conversation, and of the same prompt if that is known.
	part   bool
	prompt string
	// emptied: another run turned out to have all of its calls.
	emptied bool
}

// A Call is one tool call of a run.
type Call struct {
	scoring.Call
	evidence.Span
	// CallID is the ID that the model gave the call, or "" if no record has it.
	CallID string
	Scope  evidence.Scope
	Rank   uint16 // the place in the model's response
	Source Source
	evidence.Traits
	// askedBy is what asked for this call and for others, nil if that is not known.
	askedBy *asker

	by        *evidence.Fact  // of a request: the model call
	hosted    bool            // the model's provider runs the tool
	ran       bool            // a response proves that the call was made
	paired    pairing         // whether a request, or of a request a span, is of the same call
	served    bool            // a protocol's span was found for it by its time
	inherited bool            // the status is another span's
	unsure    bool            // the status and the output may be those of another call
	fact      int32           // the place of its fact in the tree, or -1
	digest    *scoring.Digest // of the arguments, once they were compared
}

// Source says how a call relates to the run that has it.
type Source uint8

const (
	Own       Source = iota // it is the run's, and has a span
	Shared                  // it is of a run inside of this one, and counts for this one too
	FromModel               // it is the run's, and only a model response recorded it
)

// Span is the span of the anchor, or else the time of what the run has.
func (r *Run) Span() *evidence.Span { return &r.time }

// HasAgentSpan reports whether an agent's or a workflow's span represents the run.
func (r *Run) HasAgentSpan() bool { return len(r.Anchors) > 0 && r.kind != evidence.Root }

// Closed is what an examination closed.
type Closed struct {
	Runs []Run
	// Passthrough are held spans that represent no run. They are forwarded unchanged.
	Passthrough []evidence.Held
	// Late has, for each call that arrived after its run had closed, how much later it did.
	Late []time.Duration
	// Duplicates is how many records were of a call that another record had.
	Duplicates int
}

// Size is how many bytes calls and held spans keep alive, without the origins of the spans.
func (c *Closed) Size() int64 {
	const (
		runBytes  = 400
		callBytes = 300
	)
	size := evidence.SizeOf(c.Passthrough)
	for _, r := range each(c.Runs) {
		size += runBytes + evidence.SizeOf(r.Anchors) + evidence.SizeOf(r.Companions)
		for _, calls := range [...][]Call{r.Calls, r.Rejected} {
			for _, k := range each(calls) {
				size += int64(callBytes + len(k.CallID) + k.Arguments.Size() + k.Output.Size())
			}
		}
	}
	return size
}

// Runs makes runs of the facts of a log. It returns the runs that close now, and leaves in the log what may still belong to
// others. It depends on nothing but its arguments, and not on the order of the facts. The caller must not use the held spans
// that it returns in any other way.
//
// The traces of a log are examined one by one, in the order of the files: see the package comment. Then runs of several traces
// are joined. Spans of tools that have lost their trace are examined where they belong.
func Runs(log *evidence.Log, o *Options, x *Examination) (closed Closed) {
	waiting := map[pcommon.TraceID]bool{} // traces of conversations that end with a request that they do not answer
	pending := o.Conversations && x.Final && IsPending(log)
	for i := range log.Traces {
		if one := (evidence.Log{Traces: log.Traces[i : i+1]}); o.Conversations && IsPending(&one) {
			waiting[log.Traces[i].Key.Trace] = true
		}
	}
	moved := adopt(log)
	closed.Runs = x.Memory
	for i := range log.Traces {
		t := trees.Get().(*tree)
		t.closed, t.first = closed, len(closed.Runs)
		t.examine(&log.Traces[i], o, x)
		closed = t.closed
		t.forget()
		trees.Put(t)
	}
	giveBack(moved, log, x)
	join(&closed, o, x, waiting)
	closed.Runs = evidence.Trimmed(closed.Runs)
	for _, r := range each(closed.Runs) { // only now is it known whether other traces say more of results
		r.Doubts |= doubtIf(contains(r.Calls, func(c *Call) bool { return c.unsure }), ResultAmbiguous)
		r.Doubts |= doubtIf(pending && r.Conversation != "", Pending)
	}
	return closed
}

// examine closes what is due in a trace, and leaves the rest in it.
func (t *tree) examine(in *evidence.Trace, o *Options, x *Examination) {
	t.in, t.o, t.x = in, o, x
	t.facts, t.differ = evidence.Settle(in.Facts)
	t.build()
	t.findAnchors()
	t.readCalls()
	t.collectResults()
	t.give()
	t.findWrappers()
	for i := range t.runs {
		if t.runs[i].state == ready {
			t.close(&t.runs[i])
		}
	}
	if x.Final {
		t.closeRest()
	}
	t.release()
	t.rest()
	in.Facts, in.Held = evidence.Trimmed(in.Facts), evidence.Trimmed(in.Held)
}

// compareCalls is the order of calls: turn of the conversation, start, place in the model's response, end, span ID. Clocks that tick in
// milliseconds give the calls of one response the same start. The other fields only order records of one span.
func compareCalls(a, b *Call) int {
	if a.Turn != b.Turn || a.Start != b.Start {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Start, b.Start))
	}
	if order := cmp.Or(cmp.Compare(a.Rank, b.Rank), evidence.CompareSpans(&a.Span, &b.Span)); order != 0 {
		return order
	}
	return cmp.Or(
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.CallID, b.CallID), cmp.Compare(a.Status, b.Status),
		bytes.Compare(a.Parent[:], b.Parent[:]), cmp.Compare(a.Scope, b.Scope),
		a.Arguments.Compare(b.Arguments), a.Output.Compare(b.Output),
	)
}

func sortCalls(calls []Call) {
	for i := 1; i < len(calls); i++ {
		if compareCalls(&calls[i-1], &calls[i]) > 0 {
			slices.SortStableFunc(calls, func(a, b Call) int { return compareCalls(&a, &b) })
			return
		}
	}
}

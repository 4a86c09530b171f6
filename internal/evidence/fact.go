package evidence

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A Fact is what one span says, or that the run of a span has closed.
type Fact struct {
	Span
	Scope Scope `cbor:"6,keyasint,omitzero"`
	// Kind is what the span says it is: an agent, a workflow, or None. A root says nothing, and is only held, but a closed run may be one.
	Kind Kind `cbor:"7,keyasint,omitzero"`
	// Step: the span is a step of an agent, whose name is in Agent. If no span represents that agent, the step's parent does. An agent's
	// span that is a step is a part of a run: see IsPart.
	Step bool `cbor:"8,keyasint,omitzero"`
	// Closed: the run of the span has closed, for that reason. A fact without a span ID is that of a run without an anchor, in
	// the time of its calls.
	Closed   bool        `cbor:"9,keyasint,omitzero"`
	ClosedBy CloseReason `cbor:"10,keyasint,omitzero"`
	// ClosedAt is when the run closed, in nanoseconds since 1970 of our clock.
	ClosedAt int64 `cbor:"11,keyasint,omitzero"`
	// Models: when the run closed, its trace had model calls.
	Models bool `cbor:"12,keyasint,omitzero"`
	// Judged: the call or the response counted for a run that has closed, and may count for runs around that one.
	Judged bool `cbor:"13,keyasint,omitzero"`
	// Agent is the name of an agent, of a step's, or of the one whose call or response it is. Conversation is the ID of a conversation.
	// Both may be "".
	Agent        string `cbor:"14,keyasint,omitzero"`
	Conversation string `cbor:"15,keyasint,omitzero"`
	// Call and Response are nil if the span is not that of a call, or has nothing of a model's response.
	Call     *Call     `cbor:"16,keyasint,omitzero"`
	Response *Response `cbor:"17,keyasint,omitzero"`
}

// A Link says which parent a span has that says nothing more of calls.
type Link struct {
	ID     pcommon.SpanID `cbor:"1,keyasint,omitzero"`
	Parent pcommon.SpanID `cbor:"2,keyasint,omitzero"`
	Model  bool           `cbor:"3,keyasint,omitzero"` // the span is a model call's
}

// IsPart reports whether the fact is that of a part of an agent's run, whose other parts are traces of the same conversation.
func (f *Fact) IsPart() bool { return f.Step && f.Kind == Agent }

// IsModelCall reports whether the fact is that of a model call.
func (f *Fact) IsModelCall() bool {
	return f.Response != nil && !f.Response.OfAgent && f.Response.Shares == nil
}

// Link is what is left of a fact that says nothing more.
func (f *Fact) Link() Link { return Link{ID: f.ID, Parent: f.Parent, Model: f.IsModelCall()} }

// CloseReason says what closed a run. Of several reasons, the highest is that of the run.
type CloseReason uint8

const (
	ByAnchor     CloseReason = iota // its anchor arrived, and the wait is over
	ByIdle                          // nothing arrived for the idle timeout
	ByLimit                         // a limit was reached
	ByShutdown                      // the processor shut down
	CloseReasons                    // how many there are
)

// String returns the reason as it is written on spans.
func (c CloseReason) String() string { return [...]string{"anchor", "idle", "limit", "shutdown"}[c] }

// A Trace is the evidence of one trace that is not judged yet.
type Trace struct {
	Key   Key
	Facts []Fact
	Links []Link
	Held  []Held
	// Cut is the latest end of a call that was left out because of a limit, 0 if there is none.
	Cut pcommon.Timestamp
	// settled is how many facts were there when copies of facts were dropped last, and settledLinks how many links.
	settled, settledLinks int
}

// Add adds a fact, and copies of its call and response: whoever read them uses their memory again.
func (t *Trace) Add(f *Fact) {
	t.Facts = append(t.Facts, *f)
	added := &t.Facts[len(t.Facts)-1]
	if f.Call != nil {
		added.Call = new(*f.Call)
	}
	if f.Response != nil {
		added.Response = new(*f.Response)
	}
}

// Spare is how many bytes the trace keeps alive for what may be added.
func (t *Trace) Spare() int {
	return (cap(t.Facts)-len(t.Facts))*factBytes + (cap(t.Links)-len(t.Links))*LinkBytes + (cap(t.Held)-len(t.Held))*HeldBytes
}

// A Log is the evidence of the traces that belong together. Nearly always it is one trace.
type Log struct{ Traces []Trace }

// IsEmpty reports whether there is nothing to judge, now or later.
func (t *Trace) IsEmpty() bool {
	for i := range t.Facts {
		if f := &t.Facts[i]; f.Call != nil || f.Response != nil || f.Kind == Agent && !f.Closed && !f.ID.IsEmpty() {
			return false
		}
	}
	return len(t.Held) == 0
}

// The sizes of what a log keeps alive in bytes, measured and rounded up.
const (
	factBytes     = 144
	callBytes     = 112
	responseBytes = 192
	requestBytes  = 96
	LinkBytes     = 20  // a link
	HeldBytes     = 200 // a held span, besides its own size
	traceBytes    = 160
)

// Size is how many bytes f keeps alive.
func (f *Fact) Size() int {
	size := factBytes + len(f.Agent) + len(f.Conversation)
	if c := f.Call; c != nil {
		size += callBytes + len(c.Name) + len(c.ID) + c.Arguments.Size() + c.Output.Size()
	}
	if r := f.Response; r != nil {
		size += responseBytes + len(r.Answered) + len(r.Prompt) + len(r.Results)*requestBytes
		size += sizeOf(r.Requests) + sizeOf(r.NotOffered)
		for i := range r.Results {
			size += len(r.Results[i].ID) + r.Results[i].Output.Size()
		}
		for _, id := range r.Made {
			size += 16 + len(id)
		}
		for _, id := range r.Refused {
			size += 16 + len(id)
		}
		for i := range r.Shares {
			size += 48 + len(r.Shares[i].Agent) + 8*len(r.Shares[i].Messages)
		}
	}
	return size
}

func sizeOf(requests []ToolRequest) int {
	size := len(requests) * requestBytes
	for i := range requests {
		q := &requests[i]
		size += len(q.ID) + len(q.Name) + q.Arguments.Size() + q.Output.Size()
	}
	return size
}

// Size is how many bytes the trace keeps alive, without the origins of held spans.
func (t *Trace) Size() int {
	size := traceBytes + len(t.Links)*LinkBytes
	for i := range t.Facts {
		size += t.Facts[i].Size()
	}
	for i := range t.Held {
		size += HeldBytes + t.Held[i].Size
	}
	return size
}

// Size is how many bytes the log keeps alive, without the origins of held spans.
func (l *Log) Size() (size int) {
	for i := range l.Traces {
		size += l.Traces[i].Size()
	}
	return size
}

// A Held is a span that was taken out of its batch, to wait for the verdict of the run that it represents or, if its kind is
// [Tool], that has its call.
type Held struct {
	Span
	Partition uint64 // of its trace
	Kind      Kind
	Scope     Scope
	// Wire is how long the span is as OTLP, in bytes, without its Origin.
	Wire uint32
	// Agent is the agent's name and Conversation the conversation's ID. Each is "" if the span does not have it.
	Agent, Conversation string
	// Data is the span itself. Whoever has the Held owns it.
	Data ptrace.Span
	// Origin is the span's resource and scope. Spans of one batch share it, so it must not be changed.
	Origin *Origin
	// Size is how many bytes the span keeps alive, without its Origin.
	Size int
	// Arrived is when the span was taken, in nanoseconds since 1970 of our clock.
	Arrived int64
}

// MaxCopies is how many copies of one anchor get its verdict. Copies come from retried exports, and there are few.
const MaxCopies = 16

// Key is that of the span's trace.
func (h *Held) Key() Key { return Key{h.Trace, h.Partition} }

// Origin is the resource and the scope of a held span, both without spans. The origins of one resource in one batch share
// the resource.
type Origin struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	// First is one of the origins that share the resource. It is the same for all of them, and may be this one.
	First *Origin
	// OfResource and OfScope are the weights of the resource and the scope.
	OfResource, OfScope Weight
	// Users is how many held spans keep the scope alive. ResourceUsers is how many origins keep the resource alive, and is
	// set in First only. The caller counts both.
	Users, ResourceUsers int32
}

// Weight is the size of a resource or scope, in bytes.
type Weight struct {
	Heap uint32 // in memory, with its overhead
	Wire uint32 // as OTLP
}

// SizeOf is how many bytes held spans keep alive, without their origins.
func SizeOf(held []Held) (size int64) {
	for i := range held {
		size += int64(held[i].Size)
	}
	return size
}

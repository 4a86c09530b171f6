package agentrun

import (
	"cmp"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// PendingCall is a Call while it waits for its run. Few calls have payloads that are read, so payloads are separate.
type PendingCall struct {
	ID, Parent pcommon.SpanID
	Start, End pcommon.Timestamp
	Process    Process
	Name       unique.Handle[string] // unique, because an agent calls the same tools again and again
	CallID     string
	Payloads   *CallPayloads // nil if there are none
	Scope      Scope
	Status     scoring.CallStatus
	Type       scoring.ToolType
	Traits     Traits
	Rank       uint16 // the place in the model's response; set when it is examined
	Inherited  bool   // the status is another span's
	Counted    bool   // it counts for a run that has closed, and may count for others around that or in it
	Source     CallSource
	// FromOtherProcess is set when the call is examined.
	FromOtherProcess FromOtherProcess
}

// CallPayloads are the payloads of a call. They never change, so facts about them can be kept by their address.
type CallPayloads struct{ Arguments, Output scoring.Payload }

const (
	// PendingCallBytes is how many bytes a PendingCall keeps alive, without its texts and payloads.
	PendingCallBytes = 120
	// CallPayloadsBytes is how many bytes CallPayloads keep alive, without their content.
	CallPayloadsBytes = 48
)

// Span is the span that recorded the call. It has no trace id.
func (r *PendingCall) Span() Span {
	return Span{ID: r.ID, Parent: r.Parent, Start: r.Start, End: r.End, Process: r.Process}
}

// Key is the span as its process sent it.
func (r *PendingCall) Key() SpanKey { return SpanKey{Process: r.Process, ID: r.ID} }

// Arguments returns the arguments of the call, if they are kept.
func (r *PendingCall) Arguments() scoring.Payload {
	if r.Payloads == nil {
		return scoring.Payload{}
	}
	return r.Payloads.Arguments
}

// Output returns the output of the call, if it is kept.
func (r *PendingCall) Output() scoring.Payload {
	if r.Payloads == nil {
		return scoring.Payload{}
	}
	return r.Payloads.Output
}

// Captured returns a copy of the payloads.
func (r *PendingCall) Captured() (p CallPayloads) {
	if r.Payloads != nil {
		p = *r.Payloads
	}
	return p
}

// Size is how many bytes r keeps alive.
func (r *PendingCall) Size() int {
	size := PendingCallBytes + len(r.Name.Value()) + len(r.CallID)
	if r.Payloads != nil {
		size += CallPayloadsBytes + r.Payloads.Arguments.Size() + r.Payloads.Output.Size()
	}
	return size
}

// Fill makes the empty call c the call of a closed run of a trace. A Call is large, so it is filled in its final place.
func (r *PendingCall) Fill(c *Call, id pcommon.TraceID) {
	c.Span = r.Span()
	c.Trace, c.Scope, c.CallID, c.Traits, c.FromOtherProcess = id, r.Scope, r.CallID, r.Traits, r.FromOtherProcess
	c.Source, c.Rank = r.Source, r.Rank
	c.Name, c.Status, c.Type = r.Name.Value(), r.Status, r.Type
	if r.Payloads != nil {
		c.Arguments, c.Output = r.Payloads.Arguments, r.Payloads.Output
	}
}

// ComparePendingCalls is the order of calls: start, place in the model's response, end, span ID. Clocks that tick in
// milliseconds give the calls of one response the same start. The other fields only order records of one span.
func ComparePendingCalls(a, b PendingCall) int {
	if order := cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Rank, b.Rank), CompareSpans(a.Span(), b.Span())); order != 0 {
		return order
	}
	return cmp.Or(
		cmp.Compare(a.Name.Value(), b.Name.Value()),
		cmp.Compare(a.CallID, b.CallID),
		cmp.Compare(a.Status, b.Status),
		cmp.Compare(SpanNumber(a.Parent), SpanNumber(b.Parent)),
		cmp.Compare(a.Scope, b.Scope),
		cmp.Compare(a.Type, b.Type),
		compareCallPayloads(&a, &b),
	)
}

// compareCallPayloads orders records by their arguments and outputs.
func compareCallPayloads(a, b *PendingCall) int {
	if a.Payloads == b.Payloads {
		return 0
	}
	return cmp.Or(ComparePayloads(a.Arguments(), b.Arguments()), ComparePayloads(a.Output(), b.Output()))
}

// ComparePayloads orders payloads by their form: two that are written differently are never equal.
func ComparePayloads(a, b scoring.Payload) int {
	if a == b {
		return 0
	}
	if order := a.Compare(b); order != 0 {
		return order
	}
	return cmp.Compare(a.String(), b.String()) // equal bytes of different kinds
}

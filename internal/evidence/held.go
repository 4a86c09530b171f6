package evidence

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
)

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

package heldspans

import (
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/entity"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// In memory, a part of a held span takes its bytes on the wire and these bytes, as measured. They include a quarter more
// capacity than a list needs, because a decoder appends to lists.
const (
	spanBytes      = 200
	attributeBytes = 80  // each attribute, and each member of a map
	elementBytes   = 48  // each element of a list
	nestedBytes    = 48  // each list and each map
	eventBytes     = 100 // each event and each link
	entityBytes    = 120 // each reference of a resource to an entity
	originBytes    = 150 // each resource and each scope
)

// maxNesting is how deep the values of a held span may nest. Each level costs stack wherever the span is copied.
const maxNesting = 1000

// A scale weighs the spans to hold.
type scale struct {
	heap int
	deep bool // values nest deeper than maxNesting
}

// attributes adds what m takes besides its size on the wire.
func (s *scale) attributes(m pcommon.Map, depth int) {
	s.heap += m.Len() * attributeBytes
	for _, v := range m.All() {
		s.value(v, depth+1)
	}
}

// value adds what is in a map or a list.
func (s *scale) value(v pcommon.Value, depth int) {
	switch kind := v.Type(); {
	case kind != pcommon.ValueTypeMap && kind != pcommon.ValueTypeSlice: // most
	case s.deep || depth > maxNesting:
		s.deep = true
	case kind == pcommon.ValueTypeMap:
		s.heap += nestedBytes
		s.attributes(v.Map(), depth)
	default:
		s.heap += nestedBytes + v.Slice().Len()*elementBytes
		for _, e := range v.Slice().All() {
			s.value(e, depth+1)
		}
	}
}

var marshaler ptrace.ProtoMarshaler

// Weigh sets the sizes of a held span. If its values nest too deep, it sets none.
func Weigh(h *evidence.Held) (deep bool) {
	span, s := h.Data, scale{heap: spanBytes}
	s.attributes(span.Attributes(), 0)
	s.heap += (span.Events().Len() + span.Links().Len()) * eventBytes
	for _, e := range span.Events().All() {
		s.attributes(e.Attributes(), 0)
	}
	for _, l := range span.Links().All() {
		s.attributes(l.Attributes(), 0)
	}
	if s.deep {
		return true
	}
	wire := marshaler.SpanSize(span)
	h.Size, h.Wire = s.heap+wire+len(h.Conversation), uint32(wire)
	return false
}

// weighResource returns the weight of a resource without scopes, and the bound that keeps its spans from being held.
func weighResource(rs ptrace.ResourceSpans) (evidence.Weight, Bound) {
	s := scale{heap: originBytes}
	s.attributes(rs.Resource().Attributes(), 0)
	for _, e := range entity.ResourceEntityRefs(rs.Resource()).All() {
		s.heap += entityBytes + (e.IdKeys().Len()+e.DescriptionKeys().Len())*elementBytes
	}
	return s.origin(func() int { return marshaler.ResourceSpansSize(rs) })
}

// weighScope returns the weight of a scope without spans, and the bound that keeps its spans from being held.
func weighScope(ss ptrace.ScopeSpans) (evidence.Weight, Bound) {
	s := scale{heap: originBytes}
	s.attributes(ss.Scope().Attributes(), 0)
	return s.origin(func() int { return marshaler.ScopeSpansSize(ss) })
}

// origin returns the weight of a resource or scope that is so long on the wire, and the bound that it exceeds.
func (s *scale) origin(size func() int) (w evidence.Weight, why Bound) {
	if s.deep {
		return w, TooDeep
	}
	wire := size()
	w = evidence.Weight{Heap: uint32(s.heap + wire), Wire: uint32(wire)}
	switch {
	case w.Wire > maxOrigin:
		return w, TooWide
	case w.Heap > originBytes+maxDensity*w.Wire:
		return w, TooDense
	}
	return w, Holdable
}

// Held spans of one batch share the memory of their resource, and held spans of one scope share that of the scope. This
// memory is counted once, and is no part of a span's size. It counts until the last of these spans has left, because that
// span keeps all of it alive.

// Resume weighs a held span that was stored, and its origin unless another span of it came before. It returns how many more bytes of
// origins are kept alive because of this span.
func Resume(h *evidence.Held) (bytes int64) {
	Weigh(h)
	if o := h.Origin; o.OfScope == (evidence.Weight{}) {
		o.OfScope, _ = weighScope(o.Scope)
		o.First.OfResource, _ = weighResource(o.First.Resource)
	}
	return count(h.Origin, 1)
}

// Leave notes that spans are not held any more. It returns how many bytes of their origins this frees.
func Leave(held []evidence.Held) (bytes int64) {
	for i := range held {
		bytes += count(held[i].Origin, -1)
	}
	return bytes
}

// count notes that one more span of an origin is held, or one less. It returns how many more or less bytes are kept alive because of that.
func count(o *evidence.Origin, change int32) (bytes int64) {
	turn := max(change, 0) // as many users as there are with the first one, or without the last one
	if atomic.AddInt32(&o.Users, change) == turn {
		bytes = int64(o.OfScope.Heap)
		if atomic.AddInt32(&o.First.ResourceUsers, change) == turn {
			bytes += int64(o.First.OfResource.Heap)
		}
	}
	return bytes
}

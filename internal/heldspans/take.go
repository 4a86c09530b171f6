package heldspans

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

const (
	// maxDensity is how many bytes of memory one byte on the wire may take when it is held. An agent's span with the usual
	// attributes takes four to five. A span that takes more consists of empty parts: an attribute without key and value
	// takes two bytes on the wire and fifty in memory.
	maxDensity = 16
	// maxOrigin is how long a resource, or a scope, may be on the wire, in bytes. Each release has them once, so they must
	// leave room for spans.
	maxOrigin = 256 << 10
	// MaxRepeated is how many bytes the resources and scopes of a batch may take in all traces together whose spans are held:
	// each trace is stored with its own.
	MaxRepeated = 16 << 20
	// anchorBytes is how many bytes a held span takes besides its weight, and traceBytes is the size of the trace that an
	// agent's span opens.
	anchorBytes = 220
	traceBytes  = 430
)

// Bound is what keeps a span from being held.
type Bound uint8

// The bounds. Holdable means that none of them applies.
const (
	Holdable      Bound = iota
	TooDense            // the span would take more than maxDensity times its size on the wire
	TooDeep             // its values nest deeper than maxNesting
	TooWide             // its resource or scope is longer than maxOrigin, or those of its request are repeated for too many traces
	TooMuchMemory       // the request already holds as much as may be held for open runs
	BoundCount          // how many there are
)

// String returns the bound as the metric has it.
func (b Bound) String() string { return [...]string{"", "density", "nesting", "origin", "memory"}[b] }

// Place is the place of a span in the traces of a batch.
type Place struct{ Resource, Scope, Span int }

// In returns the span at the place in td.
func (p Place) In(td ptrace.Traces) ptrace.Span {
	return td.ResourceSpans().At(p.Resource).ScopeSpans().At(p.Scope).Spans().At(p.Span)
}

// A Candidate is a span that may have to be held.
type Candidate struct {
	Place
	Kind evidence.Kind
	// Call: the span is that of a call, and is held as [evidence.Tool] if it represents no run.
	Call                bool
	Process             evidence.Process // that sent it
	Partition           uint64
	Agent, Conversation string
}

// Taken is everything that was taken out of a batch.
type Taken struct {
	Held []evidence.Held
	// Origins is how many bytes the resources and scopes of the held spans take. Unheld counts the candidates that a bound
	// keeps from being held.
	Origins int64
	Unheld  [BoundCount]int
}

// An extraction moves the spans to hold out of their traces.
type extraction struct {
	*Taken
	// room is how many bytes the batch may still hold.
	room int64
	// The current resource is the one at that place, kept in its first origin, unless a bound forbids holding it.
	resource  int
	first     *evidence.Origin
	forbidden Bound
	// repeated is how many bytes the resources and scopes take that are stored with each trace. last and lastOrigin are those of the
	// span that was taken last.
	repeated   int64
	last       evidence.Key
	lastOrigin *evidence.Origin
}

// Take moves the spans of the candidates out of td, as far as they fit into room, which is in bytes. The candidates are in
// the order of td, so those of one scope are neighbours. A resource is copied once for all of them. Other spans stay, and so
// do their resources and scopes.
func (t *Taken) Take(td ptrace.Traces, candidates []Candidate, room int64) {
	e := extraction{Taken: t, room: room, resource: -1}
	for rest := candidates; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Resource == rest[0].Resource && rest[n].Scope == rest[0].Scope {
			n++
		}
		e.scope(td.ResourceSpans().At(rest[0].Resource), rest[:n])
		rest = rest[n:]
	}
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		emptied := false
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			empty := ss.Spans().Len() == 0
			emptied = emptied || empty
			return empty
		})
		return emptied && rs.ScopeSpans().Len() == 0
	})
}

// scope moves the spans of candidates of one scope.
func (e *extraction) scope(rs ptrace.ResourceSpans, candidates []Candidate) {
	ss := rs.ScopeSpans().At(candidates[0].Scope)
	origin, why := e.originOf(rs, ss, candidates[0].Resource)
	if why != Holdable {
		e.Unheld[why] += len(candidates)
		return
	}
	scope := evidence.ScopeOf(ss.Scope().Name())
	at := -1
	ss.Spans().RemoveIf(func(span ptrace.Span) bool {
		at++
		if len(candidates) == 0 || candidates[0].Span != at {
			return false
		}
		c := &candidates[0]
		candidates = candidates[1:]
		h := evidence.Held{
			Span: evidence.SpanOf(span, c.Process), Partition: c.Partition, Kind: c.Kind, Scope: scope, Agent: c.Agent, Conversation: c.Conversation,
			Origin: origin, Data: span,
		}
		if why := e.admit(&h); why != Holdable {
			e.Unheld[why]++
			return false
		}
		h.Data = ptrace.NewSpan()
		span.MoveTo(h.Data)
		e.Held = append(e.Held, h)
		return true
	})
}

// admit weighs a span. If it can be held, admit subtracts its size from the room.
func (e *extraction) admit(h *evidence.Held) Bound {
	if Weigh(h) {
		return TooDeep
	}
	takes := int64(h.Size) + anchorBytes
	if h.Kind == evidence.Agent {
		takes += traceBytes
	}
	if takes > maxDensity*int64(h.Wire) {
		return TooDense
	}
	if k := h.Key(); e.last != k || e.lastOrigin != h.Origin {
		e.last, e.lastOrigin = k, h.Origin
		e.repeated += int64(h.Origin.First.OfResource.Wire) + int64(h.Origin.OfScope.Wire)
	}
	if e.repeated > MaxRepeated {
		return TooWide
	}
	origin := count(h.Origin, 1)
	if takes += origin; takes > e.room {
		count(h.Origin, -1)
		return TooMuchMemory
	}
	e.room -= takes
	e.Origins += origin
	return Holdable
}

// originOf copies the resource and scope of spans that are about to leave them.
func (e *extraction) originOf(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, resource int) (o *evidence.Origin, why Bound) {
	o = &evidence.Origin{Scope: ptrace.NewScopeSpans()}
	if e.resource != resource {
		e.resource, e.first = resource, o
		o.First, o.Resource = o, ptrace.NewResourceSpans()
		rs.Resource().CopyTo(o.Resource.Resource())
		o.Resource.SetSchemaUrl(rs.SchemaUrl())
		o.OfResource, e.forbidden = weighResource(o.Resource)
	}
	if e.forbidden != Holdable {
		return nil, e.forbidden
	}
	o.First, o.Resource = e.first, e.first.Resource
	ss.Scope().CopyTo(o.Scope.Scope())
	o.Scope.SetSchemaUrl(ss.SchemaUrl())
	o.OfScope, why = weighScope(o.Scope)
	return o, why
}

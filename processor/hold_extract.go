package processor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

const (
	// maxDensity is how many bytes of memory one byte on the wire may take when it is held. An agent's span with the usual
	// attributes takes four to five. What takes more is made of empty parts: an attribute without key and value is two bytes
	// on the wire and fifty in memory.
	maxDensity = 16
	// maxOrigin is how long a resource, or a scope, may be on the wire, in bytes. Each release has them once, so they must
	// leave room in it for spans.
	maxOrigin = 256 << 10
	// anchorBytes is what a held span takes beside its weight, in bytes, and traceBytes the trace that an agent's span opens.
	anchorBytes = 220
	traceBytes  = 430
)

// An extraction moves spans that are to be held out of their traces.
type extraction struct {
	batch *batch
	// room is how many bytes the batch may still hold.
	room int64
	// The resource in hand is the one at that place, kept in the first origin of it, unless a bound forbids to hold it.
	resource  int
	first     *agentrun.Origin
	forbidden bound
}

// extract moves the candidates' spans out of td, as far as they fit. They are in the order of td, so those of one scope are
// neighbours. A resource is copied once for all of them.
func (b *batch) extract(td ptrace.Traces, room int64) {
	e := extraction{batch: b, room: room, resource: -1}
	for rest := b.candidates; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].resource == rest[0].resource && rest[n].scope == rest[0].scope {
			n++
		}
		e.scope(td.ResourceSpans().At(rest[0].resource), rest[:n])
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
func (e *extraction) scope(rs ptrace.ResourceSpans, candidates []candidate) {
	ss := rs.ScopeSpans().At(candidates[0].scope)
	origin, why := e.originOf(rs, ss, candidates[0].resource)
	if why != holdable {
		e.batch.unheld[why] += len(candidates)
		return
	}
	at := -1
	ss.Spans().RemoveIf(func(span ptrace.Span) bool {
		at++
		if len(candidates) == 0 || candidates[0].span != at {
			return false
		}
		c := &candidates[0]
		candidates = candidates[1:]
		a := agentrun.Anchor{Span: agentrun.Of(span), Kind: c.kind, Agent: c.agent, Conversation: c.conversation, Origin: origin}
		a.Process, a.Scope = c.process, agentrun.ScopeOf(ss.Scope().Name())
		if why := e.weigh(&a, span); why != holdable {
			e.batch.unheld[why]++
			return false
		}
		a.Held = ptrace.NewSpan()
		span.MoveTo(a.Held)
		e.batch.held = append(e.batch.held, a)
		return true
	})
}

// weigh finds out what a span takes, and takes that from the room if it is to be held.
func (e *extraction) weigh(a *agentrun.Anchor, span ptrace.Span) bound {
	w, deep := heldspans.SpanWeight(span)
	if deep {
		return tooDeep
	}
	a.Size, a.Wire = int(w.Heap)+len(a.Conversation), w.Wire
	takes := int64(a.Size) + anchorBytes
	if a.Kind == agentrun.Agent {
		takes += traceBytes
	}
	if takes > maxDensity*int64(w.Wire) {
		return tooDense
	}
	origin := heldspans.Use(a.Origin)
	if takes += origin; takes > e.room {
		heldspans.Leave(a.Origin)
		return tooMany
	}
	e.room -= takes
	e.batch.origins += origin
	return holdable
}

// originOf copies the resource and scope of spans that are about to leave them.
func (e *extraction) originOf(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, resource int) (*agentrun.Origin, bound) {
	o := &agentrun.Origin{Scope: ptrace.NewScopeSpans()}
	if e.resource != resource {
		e.resource, e.first = resource, o
		o.First, o.Resource = o, ptrace.NewResourceSpans()
		rs.Resource().CopyTo(o.Resource.Resource())
		o.Resource.SetSchemaUrl(rs.SchemaUrl())
		w, deep := heldspans.ResourceWeight(o.Resource)
		o.OfResource, e.forbidden = w, forbids(w, deep)
	}
	if e.forbidden != holdable {
		return nil, e.forbidden
	}
	o.First, o.Resource = e.first, e.first.Resource
	ss.Scope().CopyTo(o.Scope.Scope())
	o.Scope.SetSchemaUrl(ss.SchemaUrl())
	w, deep := heldspans.ScopeWeight(o.Scope)
	o.OfScope = w
	return o, forbids(w, deep)
}

// forbids is what keeps spans of a resource or scope from being held.
func forbids(w agentrun.Weight, deep bool) bound {
	switch {
	case deep:
		return tooDeep
	case w.Wire > maxOrigin:
		return tooWide
	case w.Heap > heldspans.OriginBytes+maxDensity*w.Wire:
		return tooDense
	}
	return holdable
}

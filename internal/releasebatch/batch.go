package releasebatch

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

const (
	// MaxSpans is how many spans are released in one request at most. One run a request would flood the queues of
	// exporters, and one request for all would be more than some accept.
	MaxSpans = 512
	// MaxBytes bounds what is released in one request, on the wire and with the attributes that are written on its spans.
	// Only a single larger span exceeds it. Receivers of OTLP over gRPC accept 4 MiB by default, and refuse more for good.
	MaxBytes = 1 << 20
	// framing is how many bytes a span or an origin takes on the wire besides itself.
	framing = 6
)

// A Batch is what is released in one request.
type Batch struct {
	// Traces are the part to be delivered next: all of it, until that is refused for good and divided. rest are the parts
	// behind it.
	Traces ptrace.Traces
	rest   []ptrace.Traces
	// Spans is how many spans the next consumer has neither accepted nor permanently refused.
	Spans int
	// Size is how many bytes the release batch keeps alive, and Wire its length as OTLP. Both count what is written on
	// spans.
	Size int64
	Wire int
	// Lost has the spans that the next consumer refused for good.
	Lost Loss
	// places has the place of each origin's spans in traces. For the first origin of a resource, it may be the resource's
	// place only.
	places map[*evidence.Origin]place
	// last is the origin of the last span, and lastPlace its place. Many spans in a row have one origin.
	last      *evidence.Origin
	lastPlace place
}

// place is where the spans of an origin are.
type place struct {
	resource ptrace.ResourceSpans
	scope    ptrace.ScopeSpans
}

// newTraces makes traces with an owner. Without one, a next consumer with the gate pdata.useProtoPooling frees their memory
// when its call ends, even if it refused them.
func newTraces() ptrace.Traces {
	traces := ptrace.NewTraces()
	pref.MarkPipelineOwnedTraces(traces)
	return traces
}

// New returns an empty batch.
func New() *Batch {
	return &Batch{Traces: newTraces(), places: make(map[*evidence.Origin]place)}
}

// HasRoom reports whether a span fits. An empty release batch has room for any span.
func (c *Batch) HasRoom(a *evidence.Held) bool {
	return c.Spans == 0 || c.Spans < MaxSpans && c.Wire+c.wireOf(a) <= MaxBytes
}

// wireOf is how much longer c gets by a span.
func (c *Batch) wireOf(a *evidence.Held) int {
	wire := int(a.Wire) + framing
	if a.Origin == c.last {
		return wire
	}
	at := c.places[a.Origin]
	if at.scope != (ptrace.ScopeSpans{}) {
		return wire
	}
	wire += int(a.Origin.OfScope.Wire) + framing
	if at.resource == (ptrace.ResourceSpans{}) && c.places[a.Origin.First].resource == (ptrace.ResourceSpans{}) {
		wire += int(a.Origin.First.OfResource.Wire) + framing
	}
	return wire
}

// Place moves a held span into the release batch.
func (c *Batch) Place(a *evidence.Held) {
	c.Wire += c.wireOf(a)
	if a.Origin != c.last {
		c.last, c.lastPlace = a.Origin, c.placeOf(a.Origin)
	}
	a.Data.MoveTo(c.lastPlace.scope.Spans().AppendEmpty())
	c.Spans++
	c.Size += int64(a.Size)
}

// placeOf returns the place for the spans of an origin.
func (c *Batch) placeOf(o *evidence.Origin) place {
	if at := c.places[o]; at.scope != (ptrace.ScopeSpans{}) {
		return at
	}
	return c.open(o)
}

// open makes a place for the spans of an origin. All of one resource are below one copy of it.
func (c *Batch) open(o *evidence.Origin) place {
	at := c.places[o.First]
	if at.resource == (ptrace.ResourceSpans{}) {
		at.resource = c.Traces.ResourceSpans().AppendEmpty()
		o.Resource.CopyTo(at.resource)
		c.Size += int64(o.First.OfResource.Heap)
		if o != o.First {
			c.places[o.First] = at
		}
	}
	at.scope = at.resource.ScopeSpans().AppendEmpty()
	o.Scope.CopyTo(at.scope)
	c.Size += int64(o.OfScope.Heap)
	c.places[o] = at
	return at
}

// seal forgets what is needed only while spans are added.
func (c *Batch) seal() { c.places, c.last, c.lastPlace = nil, nil, place{} }

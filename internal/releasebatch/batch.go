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
	// Spans is how many were placed, and Wire their length as OTLP, with what is written on them.
	Spans, Wire int
	// Lost has the spans that the next consumer refused for good.
	Lost Loss
	// resources has the place of each resource by its first origin, and scopes that of each origin's spans.
	resources map[*evidence.Origin]ptrace.ResourceSpans
	scopes    map[*evidence.Origin]ptrace.SpanSlice
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
	return &Batch{Traces: newTraces(), resources: make(map[*evidence.Origin]ptrace.ResourceSpans), scopes: make(map[*evidence.Origin]ptrace.SpanSlice)}
}

// hasRoom reports whether a span fits. An empty batch has room for any span.
func (c *Batch) hasRoom(a *evidence.Held) bool {
	return c.Spans == 0 || c.Spans < MaxSpans && c.Wire+c.wireOf(a) <= MaxBytes
}

// wireOf is how much longer c gets by a span.
func (c *Batch) wireOf(a *evidence.Held) int {
	wire := int(a.Wire) + framing
	if _, has := c.scopes[a.Origin]; !has {
		wire += int(a.Origin.OfScope.Wire) + framing
		if _, has := c.resources[a.Origin.First]; !has {
			wire += int(a.Origin.First.OfResource.Wire) + framing
		}
	}
	return wire
}

// Place moves a held span into the batch. All spans of one resource are below one copy of it.
func (c *Batch) Place(a *evidence.Held) {
	c.Wire += c.wireOf(a)
	c.Spans++
	o := a.Origin
	spans, has := c.scopes[o]
	if !has {
		resource, has := c.resources[o.First]
		if !has {
			resource = c.Traces.ResourceSpans().AppendEmpty()
			o.Resource.CopyTo(resource)
			c.resources[o.First] = resource
		}
		scope := resource.ScopeSpans().AppendEmpty()
		o.Scope.CopyTo(scope)
		spans = scope.Spans()
		c.scopes[o] = spans
	}
	a.Data.MoveTo(spans.AppendEmpty())
}

package processor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

const (
	// batchSpans is how many spans are released in one request at most. One run a request would flood the queues of
	// exporters, and one request for all would be more than some accept.
	batchSpans = 512
	// batchBytes is how much is released in one request, on the wire and with what is written on its spans, but for a single
	// span that is larger. Receivers of OTLP over gRPC accept 4 MiB by default, and refuse more for good.
	batchBytes = 1 << 20
	// framing is what a span or an origin takes on the wire beside itself, in bytes.
	framing = 6
)

// releaseBatch is what is released in one request.
type releaseBatch struct {
	// traces are the part to be delivered next: all of it, until that is refused for good and divided. rest are the parts
	// behind it.
	traces ptrace.Traces
	rest   []ptrace.Traces
	// spans is how many there are that the next consumer has neither accepted nor refused for good.
	spans int
	// size is what the release batch keeps alive, and wire how long it is as OTLP, in bytes. Both count what is written on
	// spans.
	size int64
	wire int
	lost loss
	// records are those of the spans in the storage, and checkpoints what has a claim less once they are accepted.
	records     []uint32
	checkpoints []*agentrun.Checkpoint
	judged      []agentrun.Anchor
	// places are where the spans of an origin stand in traces. The first origin of a resource may have only that there.
	places map[*agentrun.Origin]condition.Place
}

// newTraces are kept: of what nobody owns the next consumer frees the memory when its call ends, though it may have refused
// (a collector with the gate pdata.useProtoPooling does so).
func newTraces() ptrace.Traces {
	traces := ptrace.NewTraces()
	pref.MarkPipelineOwnedTraces(traces)
	return traces
}

func newReleaseBatch() *releaseBatch {
	return &releaseBatch{traces: newTraces(), places: make(map[*agentrun.Origin]condition.Place)}
}

// hasRoom reports whether a span fits, with more bytes that will be written on it. An empty release batch has room for any.
func (c *releaseBatch) hasRoom(a *agentrun.Anchor, more int) bool {
	return c.spans == 0 || c.spans < batchSpans && c.wire+c.wireOf(a)+more <= batchBytes
}

// wireOf is how much longer c gets by a span.
func (c *releaseBatch) wireOf(a *agentrun.Anchor) int {
	wire := int(a.Wire) + framing
	at := c.places[a.Origin]
	if at.Scope != (ptrace.ScopeSpans{}) {
		return wire
	}
	wire += int(a.Origin.OfScope.Wire) + framing
	if at.Resource == (ptrace.ResourceSpans{}) && c.places[a.Origin.First].Resource == (ptrace.ResourceSpans{}) {
		wire += int(a.Origin.First.OfResource.Wire) + framing
	}
	return wire
}

// add moves a held span into the release batch. Its record in the storage goes when the release batch is accepted.
func (c *releaseBatch) add(a *agentrun.Anchor) condition.Place {
	c.ownRecord(a)
	return c.place(a)
}

// place moves a held span into the release batch.
func (c *releaseBatch) place(a *agentrun.Anchor) condition.Place {
	c.wire += c.wireOf(a)
	at := c.places[a.Origin]
	if at.Scope == (ptrace.ScopeSpans{}) {
		at = c.open(a.Origin)
	}
	at.Span = at.Scope.Spans().AppendEmpty()
	a.Held.MoveTo(at.Span)
	c.spans++
	c.size += int64(a.Size)
	return at
}

// open makes a place for the spans of an origin. Those of one resource stand below one copy of it.
func (c *releaseBatch) open(o *agentrun.Origin) condition.Place {
	at := c.places[o.First]
	if at.Resource == (ptrace.ResourceSpans{}) {
		at.Resource = c.traces.ResourceSpans().AppendEmpty()
		o.Resource.CopyTo(at.Resource)
		c.size += int64(o.First.OfResource.Heap)
		if o != o.First {
			c.places[o.First] = at
		}
	}
	at.Scope = at.Resource.ScopeSpans().AppendEmpty()
	o.Scope.CopyTo(at.Scope)
	c.size += int64(o.OfScope.Heap)
	c.places[o] = at
	return at
}

// grow counts what was written on spans of the release batch: so many bytes on the wire, in so many attributes and elements of
// lists.
func (c *releaseBatch) grow(wire, parts int) {
	c.wire += wire
	c.size += int64(wire + parts*heldspans.AttributeBytes)
}

// ownRecord has the record of a span removed when the release batch is accepted.
func (c *releaseBatch) ownRecord(a *agentrun.Anchor) {
	if a.Record != 0 {
		c.records, c.checkpoints = append(c.records, a.Record), append(c.checkpoints, a.Checkpoint)
	}
}

// remember notes that runs of anchors have closed, once the release batch is accepted.
func (c *releaseBatch) remember(a *agentrun.Anchor) {
	if a.Checkpoint != nil {
		c.judged = append(c.judged, agentrun.Anchor{Span: a.Span, Kind: a.Kind, Agent: a.Agent, Checkpoint: a.Checkpoint})
	}
}

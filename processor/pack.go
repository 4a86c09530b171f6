package processor

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// parcelSpans is how many spans are released in one request at most. One run a request would flood the queues of
	// exporters, and one request for all would be more than some accept.
	parcelSpans = 512
	// parcelBytes is how much is released in one request, but for a single span that is larger. Receivers of OTLP over
	// gRPC accept 4 MiB by default, and refuse more for good.
	parcelBytes = 1 << 20
)

// parcel is what is released in one request.
type parcel struct {
	traces ptrace.Traces
	spans  int
	size   int64
	// entries are those of the spans in the storage, and receipts what has a claim less once they are accepted.
	entries  []uint32
	receipts []*agentrun.Receipt
	judged   []agentrun.Anchor
	// places are where the spans of an origin stand in traces. The first origin of a resource may have only that there.
	places map[*agentrun.Origin]placed
}

// newParcel keeps its traces: of what nobody owns the next consumer frees the memory when its call ends, though it may
// have refused (a collector with the gate pdata.useProtoPooling does so).
func newParcel() *parcel {
	traces := ptrace.NewTraces()
	pref.MarkPipelineOwnedTraces(traces)
	return &parcel{traces: traces, places: make(map[*agentrun.Origin]placed)}
}

// add moves a held span into the parcel. Its entry in the storage goes when the parcel is accepted.
func (c *parcel) add(a agentrun.Anchor) placed {
	c.owe(a)
	return c.place(a)
}

// place moves a held span into the parcel.
func (c *parcel) place(a agentrun.Anchor) placed {
	at := c.places[a.Origin]
	if at.scope == (ptrace.ScopeSpans{}) {
		at = c.open(a.Origin)
	}
	at.span = at.scope.Spans().AppendEmpty()
	a.Held.MoveTo(at.span)
	c.spans++
	c.size += int64(a.Size)
	return at
}

// open makes a place for the spans of an origin. Those of one resource stand below one copy of it.
func (c *parcel) open(o *agentrun.Origin) placed {
	at := c.places[o.First]
	if at.resource == (ptrace.ResourceSpans{}) {
		at.resource = c.traces.ResourceSpans().AppendEmpty()
		o.Resource.CopyTo(at.resource)
		c.size += int64(o.First.OfResource.Heap)
		if o != o.First {
			c.places[o.First] = at
		}
	}
	at.scope = at.resource.ScopeSpans().AppendEmpty()
	o.Scope.CopyTo(at.scope)
	c.size += int64(o.OfScope.Heap)
	c.places[o] = at
	return at
}

// owe has the entry of a span removed when the parcel is accepted.
func (c *parcel) owe(a agentrun.Anchor) {
	if a.Entry != 0 {
		c.entries, c.receipts = append(c.entries, a.Entry), append(c.receipts, a.Receipt)
	}
}

// loggedIDs is how many spans of a lost parcel are named in the log.
const loggedIDs = 32

// ids are the trace and span ids of the first spans in a parcel.
func (c *parcel) ids() []string {
	var ids []string
	for _, rs := range c.traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if len(ids) == loggedIDs {
					return ids
				}
				ids = append(ids, span.TraceID().String()+"/"+span.SpanID().String())
			}
		}
	}
	return ids
}

// pack judges the runs of h and puts their anchors into parcels. Once ctx has ended it judges no more: it returns how many
// spans of runs are unjudged for that. The caller holds turning.
func (p *Processor) pack(ctx context.Context, h agentrun.Harvest) (unjudged int) {
	p.countLate(ctx, h.Late)
	p.telemetry.ProcessorToolCorrectnessDuplicateCalls.Add(ctx, int64(h.Duplicates))
	before := len(p.parcels)
	c := newParcel()
	room := func() *parcel { // in the parcel that is not full yet
		if c.spans >= parcelSpans || c.size >= parcelBytes {
			p.parcels = append(p.parcels, *c)
			c = newParcel()
		}
		return c
	}
	var d desk
	for _, run := range h.Runs {
		if ctx.Err() != nil {
			unjudged += passRun(room, &run)
			continue
		}
		p.packRun(ctx, &d, room, run)
	}
	for _, a := range h.Unjudged {
		room().add(a)
	}
	if c.spans > 0 {
		p.parcels = append(p.parcels, *c)
	}
	p.meet(h.Receipts)
	// The calls are judged and kept no longer; what is in parcels still is.
	p.undelivered.Add(-h.Size() - p.closing)
	p.closing = 0
	for i := range p.parcels[before:] {
		p.undelivered.Add(p.parcels[before+i].size)
	}
	return unjudged
}

// passRun puts the spans of a run into parcels unjudged, and returns how many they are. What is stored of a run without a
// span stays in the storage.
func passRun(room func() *parcel, run *agentrun.Run) int {
	for _, a := range run.Companions {
		room().add(a)
	}
	for _, a := range run.Anchors {
		room().add(a)
	}
	return len(run.Companions) + len(run.Anchors)
}

// packRun judges a run and puts its spans into parcels, in which there is room. The run's own span goes last: while it is
// stored, a start after a crash finds out what to say of the spans of calls that had not left. What is stored of the parts
// of a run goes with its own span, too: without one of them the others would be judged as if they were all. So a part may
// come twice, without a verdict.
func (p *Processor) packRun(ctx context.Context, d *desk, room func() *parcel, run agentrun.Run) {
	p.telemetry.ProcessorToolCorrectnessRunsClosed.Add(ctx, 1, p.meters.closed[run.ClosedBy]...)
	if p.set.IgnoreFailed { // only now is it known of all calls whether they failed
		run.Calls = slices.DeleteFunc(run.Calls, func(c agentrun.Call) bool { return c.Status == scoring.StatusFailed })
	}
	run.Complete = run.Complete && !p.wasUnderWay(run)
	d.spans = d.spans[:0]
	for _, a := range run.Companions {
		if a.Tier == agentrun.Tool {
			d.spans = append(d.spans, room().add(a).span)
		} else {
			room().place(a)
		}
	}
	c := room()
	for _, a := range run.Companions {
		if a.Tier != agentrun.Tool {
			c.owe(a)
			p.remember(c, a)
		}
	}
	var few [2]placed // more copies of a span than these are allocated
	copies := few[:0]
	for _, a := range run.Anchors {
		copies = append(copies, c.add(a))
	}
	p.remember(c, run.Anchors...)
	var anchor *placed
	if len(copies) > 0 {
		anchor = &copies[0]
		c.receipts = append(c.receipts, run.Receipts...)
	} else {
		p.meet(run.Receipts)
	}
	r := Report{Run: run}
	p.judge(ctx, d, &r, anchor)
	p.annotateCalls(&r, copies, d.spans)
	for i, at := range copies {
		p.annotate(at.span.Attributes(), &r, i == 0 && run.Anchors[0].Agent != "")
	}
	if p.observe != nil {
		p.observe(r)
		*d = desk{} // it may keep the report
	}
}

// remember notes that runs of a parcel's anchors have closed, once they are accepted.
func (p *Processor) remember(c *parcel, anchors ...agentrun.Anchor) {
	if p.journal != nil {
		c.judged = append(c.judged, anchors...)
	}
}

// wasUnderWay reports whether calls of a run may have come to a processor before this one, or to none at all: its span
// had begun when this one began, and had not ended for longer than the idle timeout. Senders come again for about as long.
func (p *Processor) wasUnderWay(run agentrun.Run) bool {
	if p.began.IsZero() || len(run.Anchors) == 0 {
		return false
	}
	anchor := run.Anchors[0].Span
	return anchor.Start.AsTime().Before(p.began) && anchor.End.AsTime().After(p.began.Add(-p.set.Run.IdleTimeout))
}

package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.opentelemetry.io/otel/attribute"
	"go.uber.org/zap"

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
	// flushTimeout bounds how long Shutdown goes on trying when its context has no end.
	flushTimeout = 30 * time.Second
	// longestPause is between two attempts to deliver. What has recovered is not to wait for long.
	longestPause = 5 * time.Second
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
	// places are where the spans of an origin stand in traces.
	places map[*agentrun.Origin]placed
}

// newParcel keeps its traces: of what nobody owns the next consumer frees the memory when its call ends, though it may
// have refused (a collector with the gate pdata.useProtoPooling does so).
func newParcel() *parcel {
	traces := ptrace.NewTraces()
	pref.MarkPipelineOwnedTraces(traces)
	return &parcel{traces: traces, places: make(map[*agentrun.Origin]placed)}
}

// add moves a held span into the parcel.
func (c *parcel) add(a agentrun.Anchor) placed {
	at, ok := c.places[a.Origin]
	if !ok {
		at.resource = c.traces.ResourceSpans().AppendEmpty()
		a.Origin.Resource.CopyTo(at.resource)
		at.scope = at.resource.ScopeSpans().AppendEmpty()
		a.Origin.Scope.CopyTo(at.scope)
		c.places[a.Origin] = at
	}
	at.span = at.scope.Spans().AppendEmpty()
	a.Held.MoveTo(at.span)
	c.spans++
	c.size += int64(a.Size)
	if a.Entry != 0 {
		c.entries, c.receipts = append(c.entries, a.Entry), append(c.receipts, a.Receipt)
	}
	return at
}

// turn closes what is due and releases it. While the next consumer refuses, turn stays, and what is due waits in the
// shards, where calls can still be added to it. When ctx ends, so does the waiting; when attempts does, so does the
// attempt under way.
func (p *Processor) turn(ctx, attempts context.Context) {
	p.turning.Lock()
	defer p.turning.Unlock()
	now := p.clock.now()
	var h agentrun.Harvest
	for i := range p.shards {
		s := &p.shards[i]
		s.mu.Lock()
		h.Add(s.runs.Due(now))
		p.count(s)
		s.mu.Unlock()
	}
	p.undelivered.Add(h.Size())
	h.Add(p.outgoing())
	h = p.stitch(now, h)
	h.Add(p.stitched(p.stitcher.Due(now)))
	for p.stitcher.Len() > 0 && (p.overLimit() ||
		p.open.Load()+int64(p.stitcher.Len()) > int64(p.set.Limits.OpenRuns)) {
		h.Add(p.stitched(p.stitcher.Oldest()))
	}
	p.pack(ctx, h)
	_ = p.send(ctx, attempts)
}

// stitch gives the runs that may be parts of longer ones to the stitcher, and returns the rest of h. The caller holds
// turning.
func (p *Processor) stitch(now time.Time, h agentrun.Harvest) agentrun.Harvest {
	p.echoes.fillIn(h.Runs)
	if p.steps.Load() {
		p.stitcher.Expect()
	}
	before := h.Size()
	h.Runs = p.stitcher.Take(now, h.Runs)
	p.undelivered.Add(h.Size() - before)
	p.joining.Store(int64(p.stitcher.Size()))
	return h
}

// stitched takes over what the stitcher has put together.
func (p *Processor) stitched(h agentrun.Harvest) agentrun.Harvest {
	p.joining.Store(int64(p.stitcher.Size()))
	p.undelivered.Add(h.Size())
	return h
}

// enqueue leaves what a limit closed to the next turn.
func (p *Processor) enqueue(h agentrun.Harvest) {
	if len(h.Runs) == 0 && len(h.Unjudged) == 0 && len(h.Receipts) == 0 && len(h.Late) == 0 && h.Duplicates == 0 {
		return
	}
	p.undelivered.Add(h.Size())
	p.outbox.mu.Lock()
	p.outbox.harvest.Add(h)
	p.outbox.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // a turn is coming anyway
	}
}

// outgoing empties the outbox.
func (p *Processor) outgoing() agentrun.Harvest {
	p.outbox.mu.Lock()
	defer p.outbox.mu.Unlock()
	h := p.outbox.harvest
	p.outbox.harvest = agentrun.Harvest{}
	return h
}

// pack judges the runs of h and puts their anchors into parcels. The caller holds turning.
func (p *Processor) pack(ctx context.Context, h agentrun.Harvest) {
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
	for _, run := range h.Runs {
		p.packRun(ctx, room(), run)
		for _, a := range run.Companions {
			into := room()
			into.add(a)
			p.remember(into, a)
		}
	}
	for _, a := range h.Unjudged {
		room().add(a)
	}
	if c.spans > 0 {
		p.parcels = append(p.parcels, *c)
	}
	p.meet(h.Receipts)
	// The calls are judged and kept no longer; what is in parcels still is.
	p.undelivered.Add(-h.Size())
	for i := range p.parcels[before:] {
		p.undelivered.Add(p.parcels[before+i].size)
	}
}

func (p *Processor) packRun(ctx context.Context, c *parcel, run agentrun.Run) {
	p.telemetry.ProcessorToolCorrectnessRunsClosed.Add(ctx, 1, p.meters.closed[run.ClosedBy])
	if p.set.IgnoreFailed { // only now is it known of all calls whether they failed
		run.Calls = slices.DeleteFunc(run.Calls, func(c agentrun.Call) bool { return c.Status == scoring.StatusFailed })
	}
	run.Complete = run.Complete && !p.wasUnderWay(run)
	copies := make([]placed, len(run.Anchors))
	for i, a := range run.Anchors {
		copies[i] = c.add(a)
	}
	p.remember(c, run.Anchors...)
	var anchor *placed
	if len(copies) > 0 {
		anchor = &copies[0]
	}
	r := p.judge(ctx, run, anchor)
	for _, at := range copies {
		p.annotate(at.span.Attributes(), r)
	}
	if p.observe != nil {
		p.observe(*r)
	}
	if anchor != nil {
		c.receipts = append(c.receipts, run.Receipts...)
	} else {
		p.meet(run.Receipts)
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

// send gives the parcels to the next consumer, each until it accepts. It returns early only if ctx ends; what is left
// stays. The caller holds turning.
func (p *Processor) send(ctx, attempts context.Context) error {
	for len(p.parcels) > 0 {
		c := &p.parcels[0]
		err := p.deliver(ctx, attempts, c.traces)
		switch {
		case err == nil:
			p.waiting.Add(-int64(c.spans))
			p.telemetry.ProcessorToolCorrectnessSpansReleased.Add(ctx, int64(c.spans))
		case consumererror.IsPermanent(err):
			p.fail(ctx, c, "permanent", err)
		default:
			return err
		}
		p.undelivered.Add(-c.size)
		p.settled(ctx, c)
		pref.UnrefTraces(c.traces) // whoever still reads them has a reference
		p.parcels = p.parcels[1:]
	}
	p.parcels = nil
	p.commit(ctx)
	return nil
}

// deliver retries until the next consumer accepts, refuses for good, or ctx ends. An attempt has a longer life: it is
// not to be made again only because the loop has ended.
func (p *Processor) deliver(ctx, attempts context.Context, td ptrace.Traces) error {
	var refusal error
	pauses := backoff.NewExponentialBackOff()
	pauses.MaxInterval = longestPause
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		attempt := td
		if p.next.Capabilities().MutatesData {
			attempt = ptrace.NewTraces()
			td.CopyTo(attempt)
		}
		refusal = p.next.ConsumeTraces(attempts, attempt)
		if consumererror.IsPermanent(refusal) {
			return struct{}{}, backoff.Permanent(refusal)
		}
		return struct{}{}, refusal
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(0))
	if err != nil && refusal != nil && !errors.Is(err, refusal) {
		return fmt.Errorf("%w; the last attempt: %w", err, refusal)
	}
	return err
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

// fail counts and logs a parcel that is lost.
func (p *Processor) fail(ctx context.Context, c *parcel, reason string, err error) {
	p.waiting.Add(-int64(c.spans))
	p.telemetry.ProcessorToolCorrectnessSpansFailed.Add(ctx, int64(c.spans), labels(attribute.String("reason", reason)))
	p.logger.Error("the next consumer did not accept judged spans, and they are lost",
		zap.Int("spans", c.spans), zap.Strings("ids", c.ids()), zap.String("reason", reason), zap.Error(err))
}

// flush judges and releases everything that is held.
func (p *Processor) flush(ctx context.Context) error {
	if _, ends := ctx.Deadline(); !ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flushTimeout)
		defer cancel()
	}
	p.turning.Lock()
	defer p.turning.Unlock()
	var h agentrun.Harvest
	for i := range p.shards {
		s := &p.shards[i]
		s.mu.Lock()
		d := s.runs.Drain(p.clock.now())
		p.count(s)
		s.mu.Unlock()
		p.undelivered.Add(d.Size())
		h.Add(d)
	}
	h.Add(p.outgoing()) // after the shards, which may have put something there meanwhile
	h = p.stitch(p.clock.now(), h)
	h.Add(p.stitched(p.stitcher.Drain()))
	p.pack(ctx, h)
	err := p.send(ctx, ctx)
	if err == nil {
		return nil
	}
	left := 0
	for i := range p.parcels {
		c := &p.parcels[i]
		left += c.spans
		p.undelivered.Add(-c.size)
		if p.journal == nil {
			p.fail(ctx, c, "shutdown", err)
		}
	}
	p.parcels = nil
	if p.journal != nil {
		p.waiting.Add(-int64(left))
		p.telemetry.ProcessorToolCorrectnessSpansSuspended.Add(ctx, int64(left))
		p.logger.Warn("the next consumer did not accept judged spans before the shutdown ended; they stay in the storage for the next start",
			zap.Int("spans", left), zap.Error(err))
		return nil
	}
	return fmt.Errorf("%d judged spans were not accepted before the shutdown ended: %w", left, err)
}

// passOn hands anchors to the next consumer unjudged.
func (p *Processor) passOn(ctx context.Context, anchors []agentrun.Anchor) error {
	c := newParcel()
	defer pref.UnrefTraces(c.traces)
	for _, a := range anchors {
		c.add(a)
	}
	if err := p.next.ConsumeTraces(ctx, c.traces); err != nil {
		p.telemetry.ProcessorToolCorrectnessSpansRefused.Add(ctx, int64(c.spans))
		return err
	}
	p.telemetry.ProcessorToolCorrectnessSpansForwarded.Add(ctx, int64(c.spans))
	return nil
}

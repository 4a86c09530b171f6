package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.opentelemetry.io/otel/attribute"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

const (
	// flushTimeout bounds how long Shutdown goes on trying when its context has no end.
	flushTimeout = 30 * time.Second
	// flushRuns is how many runs, or those of one more shard, Shutdown judges before it sends them. All at once would keep
	// a million of them twice.
	flushRuns = 1 << 13
	// longestPause is between two attempts to deliver. What has recovered is not to wait for long.
	longestPause = 5 * time.Second
)

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
		p.inParts(s, func() (more bool) { return s.runs.Due(now, &h) })
	}
	p.undelivered.Add(h.Size())
	h.Add(p.outgoing())
	h = p.stitch(now, h)
	h.Add(p.stitched(p.stitcher.Due(now)))
	p.closeOrigins(&h)
	for p.stitcher.Len() > 0 && (p.overLimit() ||
		p.open.Load()+int64(p.stitcher.Len()) > int64(p.set.Limits.OpenRuns)) {
		oldest := p.stitched(p.stitcher.Oldest())
		p.closeOrigins(&oldest)
		h.Add(oldest)
	}
	p.pack(context.WithoutCancel(ctx), h) // a shutdown waits for it
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
	p.weighStitcher()
	return h
}

// stitched takes over what the stitcher has put together.
func (p *Processor) stitched(h agentrun.Harvest) agentrun.Harvest {
	p.weighStitcher()
	p.undelivered.Add(h.Size())
	return h
}

// weighStitcher brings the totals up to date with the stitcher. The caller holds turning.
func (p *Processor) weighStitcher() {
	p.joining.Store(int64(p.stitcher.Size()))
	p.outlined.Store(int64(p.stitcher.Outlined()))
}

// enqueue leaves what a limit closed to the next turn.
func (p *Processor) enqueue(h agentrun.Harvest) {
	if len(h.Runs) == 0 && len(h.Unjudged) == 0 && len(h.Receipts) == 0 && len(h.Late) == 0 && h.Duplicates == 0 {
		return
	}
	origins := p.part(&h)
	p.undelivered.Add(h.Size() + origins)
	p.outbox.mu.Lock()
	p.outbox.harvest.Add(h)
	p.outbox.origins += origins
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
	p.rejoin(&h) // it may wait in the stitcher
	p.undelivered.Add(-p.outbox.origins)
	p.outbox.harvest, p.outbox.origins = agentrun.Harvest{}, 0
	return h
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

// fail counts and logs a parcel that is lost.
func (p *Processor) fail(ctx context.Context, c *parcel, reason string, err error) {
	p.waiting.Add(-int64(c.spans))
	p.telemetry.ProcessorToolCorrectnessSpansFailed.Add(ctx, int64(c.spans), labels(attribute.String("reason", reason)))
	p.logger.Error("the next consumer did not accept judged spans, and they are lost",
		zap.Int("spans", c.spans), zap.Strings("ids", c.ids()), zap.String("reason", reason), zap.Error(err))
}

// flush judges and releases everything that is held. When ctx ends it stops between two traces, and two runs: what is left
// then goes on unjudged, or stays in the storage.
func (p *Processor) flush(ctx context.Context) error {
	if _, ends := ctx.Deadline(); !ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flushTimeout)
		defer cancel()
	}
	p.turning.Lock()
	defer p.turning.Unlock()
	now := p.clock.now()
	h, unjudged, err := p.drain(ctx, now)
	h.Add(p.outgoing()) // after the shards, which may have put something there meanwhile
	h = p.stitch(now, h)
	h.Add(p.stitched(p.stitcher.Drain()))
	unjudged += p.packAll(ctx, h)
	if unjudged > 0 && p.journal != nil && err == nil {
		err = ctx.Err() // the next start judges them
	}
	if err == nil {
		err = p.send(ctx, ctx)
	}
	if unjudged > 0 && p.journal == nil {
		p.logger.Warn("the shutdown ended before all runs were judged; the rest went on without a verdict", zap.Int("spans", unjudged))
	}
	if err == nil {
		return nil
	}
	return p.abandon(ctx, err)
}

// drain closes all that is open, and judges and sends it when there is much. It returns what is still to be judged, and how
// many spans are to go on unjudged because ctx has ended.
func (p *Processor) drain(ctx context.Context, now time.Time) (h agentrun.Harvest, unjudged int, err error) {
	for i := range p.shards {
		s := &p.shards[i]
		p.inParts(s, func() (more bool) {
			var d agentrun.Harvest
			if ctx.Err() == nil {
				more = s.runs.Drain(now, &d)
			} else {
				s.runs.GiveUp(&d)
				unjudged += len(d.Unjudged)
			}
			p.undelivered.Add(d.Size())
			h.Add(d)
			return more
		})
		if len(h.Runs) >= flushRuns && err == nil && ctx.Err() == nil {
			unjudged += p.packAll(ctx, p.stitch(now, h))
			h = agentrun.Harvest{}
			err = p.send(ctx, ctx)
		}
	}
	return h, unjudged, err
}

// packAll packs what a flush has closed. It returns how many spans go on unjudged because ctx has ended.
func (p *Processor) packAll(ctx context.Context, h agentrun.Harvest) (unjudged int) {
	p.closeOrigins(&h)
	return p.pack(ctx, h)
}

// abandon counts what was not accepted before the shutdown ended, because of err. A storage keeps it for the next start.
func (p *Processor) abandon(ctx context.Context, err error) error {
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

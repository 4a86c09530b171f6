package processor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

const (
	// flushTimeout bounds how long Shutdown keeps trying when its context has no end. It judges in the first of its shares.
	flushTimeout = 30 * time.Second
	flushShares  = 4
	// flushRuns is how many closed runs Shutdown collects before it judges and sends them. The last shard may add more.
	// Collecting all runs first would need memory for each of them twice.
	flushRuns = 1 << 13
	// longestPause is between two attempts to deliver, so that a consumer that has recovered gets spans soon.
	longestPause = 5 * time.Second
)

// tick closes what is due and releases it. While the next consumer refuses, tick keeps trying, and runs that are due wait in
// the shards, where they still get calls. The end of ctx ends the waiting; the end of attempts ends the current attempt.
func (p *Processor) tick(ctx, attempts context.Context) {
	p.ticking.Lock()
	defer p.ticking.Unlock()
	now := p.clock.now()
	h := agentrun.ClosedBatch{Runs: p.spareRuns}
	for i := range p.shards {
		s := &p.shards[i]
		p.inParts(s, func() (more bool) { return s.runs.CloseDue(now, &h) })
	}
	closed := h.Runs
	p.undelivered.Add(h.Size())
	h.Add(p.takeQueued())
	h = p.correlate(now, h)
	h.Add(p.correlated(p.correlator.CloseDue(now)))
	p.closeOrigins(&h)
	for p.correlator.Len() > 0 && (p.overLimit() ||
		p.open.Load()+int64(p.correlator.Len()) > int64(p.set.Limits.OpenRuns)) {
		oldest := p.correlated(p.correlator.EvictOldest())
		p.closeOrigins(&oldest)
		h.Add(oldest)
	}
	p.appendBacklog(h)
	err := p.releaseSlice(context.WithoutCancel(ctx), ctx, attempts, new(int)) // a shutdown waits until 8 MiB are judged
	if err == nil && !p.allBuilt() {
		p.wakeUp() // what is due by then closes first
	}
	p.spareRuns = nil
	if p.allBuilt() && cap(closed) <= 256 { // a slice that grew under load is freed
		clear(closed)
		p.spareRuns = closed[:0]
	}
}

// appendBacklog appends closed runs to the backlog. The caller must hold ticking.
func (p *Processor) appendBacklog(h agentrun.ClosedBatch) {
	if p.backlog.IsEmpty() {
		p.backlog = h
		return
	}
	p.backlog.Add(h)
}

// release judges the backlog, until judging ends, and sends it to the next consumer, part by part. It adds to passthrough how
// many spans are not judged because judging has ended. With a storage these are not sent, and the next start judges them. It
// returns an error if ctx ends; what is left stays. The caller must hold ticking.
func (p *Processor) release(judging, ctx, attempts context.Context, passthrough *int) (err error) {
	for more := true; more && err == nil; more = !p.allBuilt() && (*passthrough == 0 || p.journal == nil) {
		err = p.releaseSlice(judging, ctx, attempts, passthrough)
	}
	return err
}

// releaseSlice is release for what can be judged in a slice of time, in the order of the runs' turns.
func (p *Processor) releaseSlice(judging, ctx, attempts context.Context, passthrough *int) error {
	p.turns.Begin(p.backlog.Runs)
	defer func() { p.turns.End(p.backlog.Runs) }()
	for {
		*passthrough += p.buildReleases(judging)
		if *passthrough > 0 && p.journal != nil {
			return judging.Err()
		}
		if err := p.send(ctx, attempts); err != nil {
			return err
		}
		if p.allBuilt() || p.turns.Over() && p.leaving.Len() == 0 {
			return nil
		}
	}
}

// correlate gives the correlator the runs that may be parts of longer ones, and returns the rest of h. The caller must hold
// ticking.
func (p *Processor) correlate(now time.Time, h agentrun.ClosedBatch) agentrun.ClosedBatch {
	p.mcpSpans.FillIn(h.Runs)
	before := h.Size()
	h.Runs = p.correlator.Take(now, h.Runs)
	p.undelivered.Add(h.Size() - before)
	p.measureCorrelator()
	return h
}

// correlated takes over the runs that the correlator has joined.
func (p *Processor) correlated(h agentrun.ClosedBatch) agentrun.ClosedBatch {
	p.measureCorrelator()
	p.undelivered.Add(h.Size())
	return h
}

// measureCorrelator brings the totals up to date with the correlator. The caller must hold ticking.
func (p *Processor) measureCorrelator() {
	p.correlatorSize.Store(int64(p.correlator.Size()))
	p.summarySize.Store(int64(p.correlator.SummaryBytes()))
}

// enqueue leaves runs that a limit closed to the next tick.
func (p *Processor) enqueue(h agentrun.ClosedBatch) {
	if h.IsEmpty() {
		return
	}
	origins := p.separateOrigins(&h)
	p.undelivered.Add(h.Size() + origins)
	p.closedQueue.mu.Lock()
	p.closedQueue.batch.Add(h)
	p.closedQueue.origins += origins
	p.closedQueue.mu.Unlock()
	p.wakeUp()
}

// wakeUp makes the next tick come at once.
func (p *Processor) wakeUp() {
	select {
	case p.wake <- struct{}{}:
	default: // it is coming anyway
	}
}

// takeQueued empties the queue.
func (p *Processor) takeQueued() agentrun.ClosedBatch {
	p.closedQueue.mu.Lock()
	defer p.closedQueue.mu.Unlock()
	h := p.closedQueue.batch
	p.rejoin(&h) // it may wait in the correlator
	p.undelivered.Add(-p.closedQueue.origins)
	p.closedQueue.batch, p.closedQueue.origins = agentrun.ClosedBatch{}, 0
	return h
}

// flush judges and releases everything that is held. When its time for judging is over, it stops between two traces, and between
// two runs. The rest then leaves without a verdict, or stays in the storage.
func (p *Processor) flush(ctx context.Context) error {
	if _, ends := ctx.Deadline(); !ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flushTimeout)
		defer cancel()
	}
	judging, stop := beginning(ctx, flushShares)
	defer stop()
	p.ticking.Lock()
	defer p.ticking.Unlock()
	now := p.clock.now()
	h, passthrough, err := p.drain(judging, ctx, now)
	h.Add(p.takeQueued()) // after the shards, which may have put something there meanwhile
	h = p.correlate(now, h)
	h.Add(p.correlated(p.correlator.CloseAll()))
	p.closeOrigins(&h)
	p.appendBacklog(h)
	if passthrough > 0 && p.journal != nil && err == nil {
		err = judging.Err() // the next start judges them
	}
	if err == nil {
		err = p.release(judging, ctx, ctx, &passthrough)
	}
	if passthrough > 0 && p.journal == nil {
		p.logger.Warn("the shutdown ended before all runs were judged; the remaining held spans leave without a verdict", zap.Int("spans", passthrough))
	}
	if err == nil {
		return nil
	}
	return p.abandon(judging, err)
}

// drain closes all open runs. Whenever there are many, it judges and sends them. It returns those that are not judged yet,
// and how many spans leave without a verdict because judging has ended.
func (p *Processor) drain(judging, ctx context.Context, now time.Time) (h agentrun.ClosedBatch, passthrough int, err error) {
	for i := range p.shards {
		s := &p.shards[i]
		p.inParts(s, func() (more bool) {
			var d agentrun.ClosedBatch
			if judging.Err() == nil {
				more = s.runs.CloseAll(now, &d)
			} else {
				s.runs.PassAll(&d)
				passthrough += len(d.Passthrough)
			}
			p.undelivered.Add(d.Size())
			h.Add(d)
			return more
		})
		if len(h.Runs) >= flushRuns && err == nil && judging.Err() == nil {
			h = p.correlate(now, h)
			p.closeOrigins(&h)
			p.appendBacklog(h)
			h = agentrun.ClosedBatch{}
			err = p.release(judging, ctx, ctx, &passthrough)
		}
	}
	return h, passthrough, err
}

// passOn hands anchors to the next consumer without a verdict.
func (p *Processor) passOn(ctx context.Context, anchors []agentrun.Anchor) error {
	c := releasebatch.New()
	defer pref.UnrefTraces(c.Traces)
	for i := range anchors {
		c.Place(&anchors[i])
	}
	if err := p.next.ConsumeTraces(ctx, c.Traces); err != nil {
		p.telemetry.ProcessorToolCorrectnessSpansRefused.Add(ctx, int64(c.Spans))
		return err
	}
	p.telemetry.ProcessorToolCorrectnessSpansForwarded.Add(ctx, int64(c.Spans))
	return nil
}

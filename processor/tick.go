package processor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

const (
	// flushTimeout bounds how long Shutdown keeps trying when its context has no end. It judges in the first of its shares.
	flushTimeout = 30 * time.Second
	flushShares  = 4
	// longestPause is between two attempts to deliver, so that a consumer that has recovered gets spans soon.
	longestPause = 5 * time.Second
	// sliceLogs is how many logs are examined before what closed is judged and sent.
	sliceLogs = 1 << 10
)

// tick closes what is due, judges and releases it, part by part. While the next consumer refuses, tick keeps trying, and runs that are
// due wait in their logs, where they still get calls. The end of ctx ends the waiting; the end of attempts ends the current attempt.
func (p *Processor) tick(ctx, attempts context.Context) {
	p.ticking.Lock()
	defer p.ticking.Unlock()
	p.retry(ctx)
	for ctx.Err() == nil {
		p.collect(p.logs.Take)
		if len(p.backlog) == 0 || p.release(context.WithoutCancel(ctx), ctx, attempts) != nil {
			return
		}
	}
}

// collect adds to the backlog what was queued, and what the logs give that take finds.
func (p *Processor) collect(take func(time.Time) (*examination, bool)) {
	p.queue.mu.Lock()
	p.backlog = append(p.backlog, p.queue.all...)
	p.queue.all = nil
	p.queue.mu.Unlock()
	now := p.clock.now()
	for len(p.backlog) < sliceLogs {
		x, found := take(now)
		if !found {
			return
		}
		p.backlog = append(p.backlog, p.examine(x))
	}
}

// release judges the backlog and sends it to the next consumer. Once judging has ended, runs that are left have no verdict: without a
// storage they are sent; with one they stay for the next start. It returns an error if ctx ends; what is left stays. The caller must hold
// ticking.
func (p *Processor) release(judging, ctx, attempts context.Context) error {
	for len(p.backlog) > 0 {
		if p.judged == 0 {
			p.judge(judging)
		}
		if p.judged == 0 {
			return judging.Err()
		}
		if err := p.send(ctx, attempts); err != nil {
			return err
		}
		p.settle(ctx)
	}
	return nil
}

// judge judges runs of the backlog, as much as is sent at once, whose spans are leaving then. Once ctx has ended, it stops if there is a
// storage, and passes runs without a verdict if there is none.
func (p *Processor) judge(ctx context.Context) {
	var v evaluate.Evaluation
	for ; p.judged < len(p.backlog) && !p.leaving.Full() && (ctx.Err() == nil || p.journal == nil); p.judged++ {
		x := p.backlog[p.judged]
		p.metrics.late(ctx, x.Closed.Late)
		p.metrics.ProcessorToolCorrectnessDuplicateCalls.Add(ctx, int64(x.Closed.Duplicates))
		for i := range x.Closed.Runs {
			run := &x.Closed.Runs[i]
			if ctx.Err() != nil && p.journal == nil {
				p.unjudged += len(run.Companions) + len(run.Anchors)
				p.leaving.PassRun(run)
				continue
			}
			p.judgeRun(ctx, run, &v)
			p.leaving.Take(run)
		}
		p.leaving.Pass(x.Closed.Passthrough)
	}
}

// judgeRun judges a run, writes the verdict on its spans, and counts it.
func (p *Processor) judgeRun(ctx context.Context, run *runs.Run, v *evaluate.Evaluation) {
	p.adopt()
	if !p.knowsPast && len(run.Anchors) > 0 && p.wasUnderWay(&run.Anchors[0].Span) {
		run.Doubts |= runs.Restarted
	}
	p.evaluator.Judge(ctx, v, run)
	ctx = p.metrics.withRun(ctx, run)
	p.metrics.runClosed(ctx, run)
	p.evaluator.Annotate(v)
	p.countEvaluation(ctx, v)
	if p.observe != nil {
		p.observe(v.Report)
		*v = evaluate.Evaluation{} // the report may be kept
	}
}

// wasUnderWay reports whether calls of a run may have reached an earlier processor, or none at all. That is so if its span
// had begun when this one began, and had not ended for longer than the idle timeout. Senders retry for about as long.
func (p *Processor) wasUnderWay(anchor *evidence.Span) bool {
	return anchor.Start.AsTime().Before(p.began) && anchor.End.AsTime().After(p.began.Add(-p.set.IdleTimeout))
}

// settle puts back what is left of the logs whose runs were delivered, and replaces their records by what is left.
func (p *Processor) settle(ctx context.Context) {
	now := p.clock.now()
	if p.journal != nil {
		p.replaceRecords(ctx, now)
	}
	for _, x := range p.backlog[:p.judged] {
		p.discharge(x)
		p.journal.Remove(p.logs.Return(now, x)...)
	}
	p.backlog, p.judged = slices.Delete(p.backlog, 0, p.judged), 0
}

// discharge notes that what closed is not kept any more.
func (p *Processor) discharge(x *examination) {
	p.undelivered.Add(-x.Retained)
	for i := range x.Closed.Runs {
		p.leave(x.Closed.Runs[i].Anchors)
		p.leave(x.Closed.Runs[i].Companions)
	}
	p.leave(x.Closed.Passthrough)
}

// flush releases what has closed. With a storage, open runs stay there for the next start. Without one, all of them are judged and
// released; when the time for judging is over, the rest leaves without a verdict.
func (p *Processor) flush(ctx context.Context) error {
	if _, ends := ctx.Deadline(); !ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flushTimeout)
		defer cancel()
	}
	end, _ := ctx.Deadline()
	judging, stop := context.WithTimeout(ctx, timeLeft(end)/flushShares)
	defer stop()
	p.ticking.Lock()
	defer p.ticking.Unlock()
	var err error
	for err == nil {
		p.collect(func(now time.Time) (*examination, bool) {
			if p.journal != nil {
				return nil, false
			}
			return p.logs.TakeAny(now, evidence.ByShutdown)
		})
		if len(p.backlog) == 0 {
			break
		}
		err = p.release(judging, ctx, ctx)
	}
	if p.unjudged > 0 {
		p.logger.Warn("the shutdown ended before all runs were judged; the remaining held spans leave without a verdict", zap.Int("spans", p.unjudged))
	}
	if err == nil {
		p.diagnose(ctx, p.journal.Commit(ctx)) // what could not be removed before
	}
	return p.abandon(err)
}

// abandon counts the spans that are still held at the shutdown: they stay in the storage for the next start, or else they are lost
// because of err.
func (p *Processor) abandon(err error) error {
	now := p.clock.now()
	for i, x := range p.backlog {
		if i >= p.judged {
			for k := range x.Closed.Runs {
				p.leaving.PassRun(&x.Closed.Runs[k])
			}
			p.leaving.Pass(x.Closed.Passthrough)
		}
		p.discharge(x)
		p.logs.Drop(now, x)
	}
	for x, found := p.logs.TakeAny(now, evidence.ByShutdown); found; x, found = p.logs.TakeAny(now, evidence.ByShutdown) {
		for i := range x.Traces {
			p.leave(x.Traces[i].Held)
			p.leaving.Pass(x.Traces[i].Held)
		}
		p.logs.Drop(now, x)
	}
	p.backlog, p.judged = nil, 0
	left := p.waiting.Swap(0)
	switch {
	case p.journal != nil:
		p.metrics.ProcessorToolCorrectnessSpansSuspended.Add(context.Background(), left)
		if err != nil {
			p.logger.Warn("the next consumer did not accept judged spans before the shutdown ended; what is held stays in the storage for the next start",
				zap.Int64("spans", left), zap.Error(err))
		}
	case err != nil:
		p.metrics.count(context.Background(), p.metrics.ProcessorToolCorrectnessSpansFailed, int(left), "reason", "shutdown")
		for c := p.leaving.Next(); c != nil; c = p.leaving.Next() {
			for more := true; more; more = c.Next() {
				c.Lost.Add(c.Traces, err)
			}
			p.logLoss(c, "shutdown")
		}
		return fmt.Errorf("%d judged spans were not accepted before the shutdown ended: %w", left, err)
	}
	return nil
}

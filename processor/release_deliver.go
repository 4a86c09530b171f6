package processor

import (
	"context"
	"errors"
	"fmt"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// send gives the release batches to the next consumer, each until all of it is accepted or refused for good. It returns
// early only if ctx ends; what is left stays. The caller must hold ticking.
func (p *Processor) send(ctx, attempts context.Context) error {
	for len(p.batches) > 0 {
		c := p.batches[0]
		if err := p.deliver(ctx, attempts, c); err != nil {
			return err
		}
		p.undelivered.Add(-c.Size)
		p.batches[0], p.batches = nil, p.batches[1:]
	}
	p.batches = nil
	return nil
}

// deliver gives a release batch to the next consumer. A batch that is refused for good is divided, and the halves are tried:
// spans of one sender must not cost the others theirs. It ends at single spans, so it takes at most twice as many attempts
// as there are spans. It returns an error if ctx ends before.
func (p *Processor) deliver(ctx, attempts context.Context, c *releasebatch.Batch) error {
	for more := true; more; more = c.Next() {
		err := p.offer(ctx, attempts, c)
		switch {
		case err == nil:
			p.accepted(ctx, c, c.Traces.SpanCount())
		case !consumererror.IsPermanent(err):
			return err
		case releasebatch.Divisible(err) && c.Divide():
		default:
			p.fail(ctx, c, "permanent", err)
		}
	}
	p.logLoss(&c.Lost, "permanent")
	return nil
}

// offer retries the current part until the next consumer accepts it, refuses it for good, or ctx ends. If the consumer says
// which spans it did not accept, only those are tried again. An attempt may outlive ctx: it must not be repeated only
// because the loop has ended.
func (p *Processor) offer(ctx, attempts context.Context, c *releasebatch.Batch) error {
	var refusal error
	pauses := backoff.NewExponentialBackOff()
	pauses.MaxInterval = longestPause
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		attempt := c.Traces
		if p.next.Capabilities().MutatesData {
			attempt = ptrace.NewTraces()
			c.Traces.CopyTo(attempt)
		}
		refusal = p.next.ConsumeTraces(attempts, attempt)
		if rest, ok := releasebatch.Refused(refusal, c.Traces); ok {
			p.accepted(ctx, c, c.Traces.SpanCount()-rest.SpanCount())
			c.Replace(rest)
		}
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

// accepted counts spans of a release batch that the next consumer has accepted.
func (p *Processor) accepted(ctx context.Context, c *releasebatch.Batch, spans int) {
	c.Spans -= spans
	p.waiting.Add(-int64(spans))
	p.metrics.ProcessorToolCorrectnessSpansReleased.Add(ctx, int64(spans))
}

// fail counts the current part as lost.
func (p *Processor) fail(ctx context.Context, c *releasebatch.Batch, reason string, err error) {
	spans := c.Traces.SpanCount()
	c.Spans -= spans
	p.waiting.Add(-int64(spans))
	p.metrics.Failed(ctx, spans, reason)
	c.Lost.Add(c.Traces, err)
}

// logLoss logs the lost spans of a release batch, if there are any.
func (p *Processor) logLoss(l *releasebatch.Loss, reason string) {
	if l.Spans > 0 {
		p.logger.Error("the next consumer did not accept judged spans, and they are lost",
			zap.Int("spans", l.Spans), zap.Strings("ids", l.IDs), zap.String("reason", reason), zap.Error(l.Err))
	}
}

// abandon counts the spans that were not accepted before the shutdown ended, because of err. A storage keeps them for the next start.
func (p *Processor) abandon(err error) error {
	ctx := context.Background()
	left := 0
	for _, x := range p.backlog { // not judged
		p.unpack(x, func(run *runs.Run) { left += p.leaving.PassRun(run) })
		left += len(x.Closed.Passthrough)
	}
	unjudged := left
	p.backlog = nil
	for _, c := range p.batches {
		left += c.Spans
		p.undelivered.Add(-c.Size)
		p.giveUp(ctx, c, err)
	}
	p.batches = nil
	for built := p.leaving.Build(); len(built) > 0; built = p.leaving.Build() {
		for _, c := range built {
			p.giveUp(ctx, c, err)
		}
	}
	for _, x := range p.settled {
		p.undelivered.Add(-x.Rest)
		p.logs.Drop(p.clock.now(), x)
	}
	p.settled = nil
	left += p.remaining()
	if p.journal != nil {
		p.suspend(ctx, left)
		p.logger.Warn("the next consumer did not accept judged spans before the shutdown ended; they stay in the storage for the next start",
			zap.Int("spans", left), zap.Int("not judged", unjudged), zap.Error(err))
		return nil
	}
	return fmt.Errorf("%d judged spans were not accepted before the shutdown ended: %w", left, err)
}

// suspend counts spans that stay in the storage for the next start.
func (p *Processor) suspend(ctx context.Context, spans int) {
	p.waiting.Add(-int64(spans))
	p.metrics.ProcessorToolCorrectnessSpansSuspended.Add(ctx, int64(spans))
}

// remaining takes the held spans out of all logs, and counts those that are lost, or that a storage keeps.
func (p *Processor) remaining() (spans int) {
	now := p.clock.now()
	for x, found := p.logs.TakeAny(now, evidence.ByShutdown); found; x, found = p.logs.TakeAny(now, evidence.ByShutdown) {
		for i := range x.Traces {
			spans += len(x.Traces[i].Held)
			p.leave(x.Traces[i].Held)
		}
		p.logs.Drop(now, x)
	}
	if p.journal == nil && spans > 0 {
		p.waiting.Add(-int64(spans))
		p.metrics.Failed(context.Background(), spans, "shutdown")
	}
	return spans
}

// giveUp counts the rest of a release batch as lost, unless a storage keeps it. Spans that were refused for good before are
// lost in either case.
func (p *Processor) giveUp(ctx context.Context, c *releasebatch.Batch, err error) {
	p.logLoss(&c.Lost, "permanent")
	c.Lost = releasebatch.Loss{}
	for more := true; more; more = c.Next() {
		if p.journal == nil {
			p.fail(ctx, c, "shutdown", err)
		}
	}
	p.logLoss(&c.Lost, "shutdown")
}

package processor

import (
	"context"
	"errors"
	"fmt"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// send gives the release batches to the next consumer, each until all of it is accepted or refused for good. It returns
// early only if ctx ends; what is left stays. The caller must hold ticking.
func (p *Processor) send(ctx, attempts context.Context) error {
	for len(p.releaseBatches) > 0 {
		c := p.releaseBatches[0]
		if err := p.deliver(ctx, attempts, c); err != nil {
			return err
		}
		p.undelivered.Add(-c.Size)
		p.released(ctx, c)
		p.releaseBatches[0], p.releaseBatches = nil, p.releaseBatches[1:]
	}
	p.releaseBatches = nil
	p.commit(ctx)
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
	p.telemetry.ProcessorToolCorrectnessSpansReleased.Add(ctx, int64(spans))
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

// abandon counts the spans that were not accepted before the shutdown ended, because of err. A storage keeps them for the
// next start. Runs that are not judged yet are judged for the count, part by part.
func (p *Processor) abandon(ctx context.Context, err error) error {
	left := 0
	for {
		for _, c := range p.releaseBatches {
			left += c.Spans
			p.undelivered.Add(-c.Size)
			p.giveUp(ctx, c, err)
		}
		p.releaseBatches = nil
		if p.allBuilt() {
			break
		}
		p.turns.Begin(p.backlog.Runs)
		p.buildReleases(ctx)
	}
	if p.journal != nil {
		p.waiting.Add(-int64(left))
		p.telemetry.ProcessorToolCorrectnessSpansSuspended.Add(ctx, int64(left))
		p.logger.Warn("the next consumer did not accept judged spans before the shutdown ended; they stay in the storage for the next start",
			zap.Int("spans", left), zap.Error(err))
		return nil
	}
	return fmt.Errorf("%d judged spans were not accepted before the shutdown ended: %w", left, err)
}

// giveUp counts the rest of a release batch as lost, unless a storage keeps it. Spans that were refused for good before are
// lost in either case.
func (p *Processor) giveUp(ctx context.Context, c *releasebatch.Batch, err error) {
	p.logLoss(&c.Lost, "permanent")
	c.Lost = releasebatch.Loss{}
	defer func() { p.logLoss(&c.Lost, "shutdown") }()
	for more := true; more; more = c.Next() {
		if p.journal == nil {
			p.fail(ctx, c, "shutdown", err)
		}
	}
}

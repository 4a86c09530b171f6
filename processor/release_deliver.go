package processor

import (
	"context"
	"errors"
	"fmt"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// send gives the spans that are leaving to the next consumer, each until it is accepted or refused for good. It returns early only if
// ctx ends; what is left stays. The caller must hold ticking.
func (p *Processor) send(ctx, attempts context.Context) error {
	for c := p.leaving.Next(); c != nil; c = p.leaving.Next() {
		if err := p.deliver(ctx, attempts, c); err != nil {
			return err
		}
	}
	return nil
}

// deliver gives a release batch to the next consumer. A batch that is refused for good is divided, and the halves are tried:
// spans of one sender must not cost the others theirs. It ends at single spans, so it takes at most twice as many attempts
// as there are spans. It returns an error if ctx ends before.
func (p *Processor) deliver(ctx, attempts context.Context, c *heldspans.Batch) error {
	defer p.logLoss(c, "permanent")
	for more := true; more; more = c.Next() {
		err := p.offer(ctx, attempts, c)
		switch {
		case err == nil:
			p.accepted(ctx, c.Traces.SpanCount())
		case !consumererror.IsPermanent(err):
			return err
		case heldspans.Divisible(err) && c.Divide():
		default:
			p.fail(ctx, c, err)
		}
	}
	return nil
}

// offer retries the current part until the next consumer accepts it, refuses it for good, or ctx ends. If the consumer says
// which spans it did not accept, only those are tried again. An attempt may outlive ctx: it must not be repeated only
// because the loop has ended.
func (p *Processor) offer(ctx, attempts context.Context, c *heldspans.Batch) error {
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
		if rest, ok := heldspans.Refused(refusal, c.Traces); ok {
			p.accepted(ctx, c.Traces.SpanCount()-rest.SpanCount())
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

// accepted counts spans of a batch that the next consumer has accepted.
func (p *Processor) accepted(ctx context.Context, spans int) {
	p.waiting.Add(-int64(spans))
	p.metrics.ProcessorToolCorrectnessSpansReleased.Add(ctx, int64(spans))
}

// fail counts the current part as lost.
func (p *Processor) fail(ctx context.Context, c *heldspans.Batch, err error) {
	spans := c.Traces.SpanCount()
	p.waiting.Add(-int64(spans))
	p.metrics.count(ctx, p.metrics.ProcessorToolCorrectnessSpansFailed, spans, "reason", "permanent")
	c.Lost.Add(c.Traces, err)
}

// logLoss logs the lost spans of a batch, if there are any.
func (p *Processor) logLoss(c *heldspans.Batch, reason string) {
	if l := &c.Lost; l.Spans > 0 {
		p.logger.Error("the next consumer did not accept judged spans, and they are lost",
			zap.Int("spans", l.Spans), zap.Strings("ids", l.IDs), zap.String("reason", reason), zap.Error(l.Err))
		*l = heldspans.Loss{}
	}
}

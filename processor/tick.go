package processor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// longestPause is between two attempts to deliver, so that a consumer that has recovered gets spans soon.
	longestPause = 5 * time.Second
	// sliceLogs is how many logs are examined before what closed is judged and sent.
	sliceLogs = 1 << 10
	// sliceTime is how long runs are judged before what was judged is sent, and what is due meanwhile is collected.
	sliceTime = 100 * time.Millisecond
	// turnPerByte is by how much later a log has its turn for each byte of it, and longestTurn by how much at most: see turn.
	turnPerByte = 250 * time.Microsecond
	longestTurn = 30 * time.Second
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

// release judges as much of the backlog as is sent at once, and sends it to the next consumer. Once judging has ended, runs that are left
// have no verdict: without a storage they are sent; with one they stay for the next start. It returns an error if ctx ends; what is left
// stays. The caller must hold ticking.
func (p *Processor) release(judging, ctx, attempts context.Context) error {
	if p.judged == 0 {
		p.judge(judging)
	}
	if p.judged == 0 {
		return judging.Err()
	}
	err := p.send(ctx, attempts)
	if err == nil {
		p.settle(ctx)
	}
	return err
}

// judge judges runs of the backlog, as much as is sent at once, whose spans are leaving then. Once ctx has ended, it stops if there is a
// storage, and passes runs without a verdict if there is none. If runs take long, small logs pass large ones, which most often are what
// takes long: else one sender's runs would make the verdicts of all others late.
func (p *Processor) judge(ctx context.Context) {
	var v evaluate.Evaluation
	began := p.clock.now()
	for ; p.judged < len(p.backlog) && !p.leaving.Full() && (ctx.Err() == nil || p.journal == nil); p.judged++ {
		if p.judged > 0 && p.clock.now().Sub(began) >= sliceTime {
			slices.SortStableFunc(p.backlog[p.judged:], func(a, b *examination) int { return cmp.Compare(turn(a), turn(b)) })
			break
		}
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

// turn is when a log has its turn while runs take long to judge, in nanoseconds since 1970. It is bounded, so that large logs are judged too
// where small ones never end.
func turn(x *examination) int64 {
	return x.Now.UnixNano() + min(x.Retained*int64(turnPerByte), int64(longestTurn))
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

// countEvaluation counts and logs the results of a run.
func (p *Processor) countEvaluation(ctx context.Context, v *evaluate.Evaluation) {
	run := &v.Report.Run
	if v.Failures > 0 {
		p.metrics.ProcessorToolCorrectnessConditionErrors.Add(ctx, v.Failures)
	}
	for _, problem := range v.Problems { // with expectations
		p.logger.Sugar().Warnw(problem.Message, problem.Details...)
	}
	if len(v.Report.Results) > 0 && len(run.Anchors) > 0 && run.Anchors[0].End > 0 {
		p.metrics.delay(ctx, run.Anchors[0].End, p.clock.now())
	}
	if len(v.Report.Results) == 0 {
		p.metrics.ProcessorToolCorrectnessRunsUnmatched.Add(ctx, 1, p.metrics.kindOf(kind{agent: p.metrics.agent(run)}).met...)
	}
	for i := range v.Report.Results {
		res := &v.Report.Results[i]
		m := &p.set.Metrics[res.Index]
		p.metrics.verdict(ctx, m.Name, res, run)
		if m.Verbose {
			p.logVerdict(m, res, run)
		}
	}
}

// maxSteps is how many pairs of a verdict are logged.
const maxSteps = 128

// logVerdict logs the steps to a verdict, without values.
func (p *Processor) logVerdict(m *evaluate.Metric, res *evaluate.Result, run *runs.Run) {
	v := &res.Verdict
	var steps []string // the reason names the tools without a call
	for _, pair := range v.Alignment.Pairs[:min(len(v.Alignment.Pairs), maxSteps)] {
		t := v.Alignment.Expected[pair.Expected]
		name := evaluate.ShownName(cmp.Or(t.Name, strings.Join(t.Names, "|")))
		steps = append(steps, fmt.Sprintf("%s: call %d, credit %.4g", name, pair.Called, pair.Credit))
	}
	p.logger.Info("judged a run", zap.Stringer("trace_id", run.Trace), zap.String("metric", m.Name),
		zap.String("expectation", res.Expectation),
		zap.String("method", m.Method.Name()), zap.Stringer("status", v.Status), zap.Float64("score", v.Score),
		zap.Float64("threshold", v.Threshold), zap.Strings("called", evaluate.ShownNames(run.Calls)),
		zap.Strings("steps", steps), zap.String("reason", v.Reason(scoring.ReasonOptions{})))
}

// send gives the spans that are leaving to the next consumer, each until it is accepted or refused for good. A batch that is refused for
// good is divided, and the halves are tried: spans of one sender must not cost the others theirs. It ends at single spans, so a batch takes
// at most twice as many attempts as it has spans. send returns early only if ctx ends; what is left stays. The caller must hold ticking.
func (p *Processor) send(ctx, attempts context.Context) error {
	for c := p.leaving.Next(); c != nil; c = p.leaving.Next() {
		err := p.offer(ctx, attempts, c)
		switch {
		case err == nil:
			p.accepted(ctx, c.Traces.SpanCount())
		case !consumererror.IsPermanent(err):
			p.logLoss(c, "permanent")
			return err
		case heldspans.Divisible(err) && c.Divide():
		default:
			spans := c.Traces.SpanCount()
			p.waiting.Add(-int64(spans))
			p.metrics.count(ctx, p.metrics.ProcessorToolCorrectnessSpansFailed, spans, "reason", "permanent")
			c.Lost.Add(c.Traces, err)
		}
		if !c.Next() {
			p.logLoss(c, "permanent")
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
		p.accepted(ctx, c.Narrow(refusal))
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

// logLoss logs the lost spans of a batch, if there are any.
func (p *Processor) logLoss(c *heldspans.Batch, reason string) {
	if l := &c.Lost; l.Spans > 0 {
		p.logger.Error("the next consumer did not accept judged spans, and they are lost",
			zap.Int("spans", l.Spans), zap.Strings("ids", l.IDs), zap.String("reason", reason), zap.Error(l.Err))
		*l = heldspans.Loss{}
	}
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

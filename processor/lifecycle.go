package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scan"
)

// New returns a processor that hands everything to next.
func New(set Settings, telemetry component.TelemetrySettings, next consumer.Traces) (*Processor, error) {
	builder, err := metadata.NewTelemetryBuilder(telemetry)
	if err != nil {
		return nil, err
	}
	p := &Processor{
		set: set, next: next, logger: telemetry.Logger, metrics: newRecorder(builder, set.ID.String(), set.AgentNames), wake: make(chan struct{}, 1),
		read: scan.Settings{
			Options: set.Run, MaxPayload: set.MaxPayload, ConversationAttributes: set.ConversationAttributes, PartitionBy: set.PartitionBy,
			AnnotateCalls: set.AnnotateCalls,
		},
	}
	p.use(&set.ExpectationSet)
	p.evaluator = evaluate.New(set.Settings)
	p.adopt()
	p.parents.Limit(set.Limits.Bytes / parentsShare)
	p.agentic.Limit(set.Limits.Bytes / agenticShare)
	p.opening = open.Settings{
		Options: set.Run, Wait: set.Wait, IdleTimeout: set.IdleTimeout, PendingTimeout: set.PendingTimeout, UnderWay: p.wasUnderWay,
		Parents: &p.parents, Agentic: &p.agentic, PastBytes: int(set.Limits.Bytes / pastShare),
	}
	p.logs = open.New(&p.opening)
	return p, p.registerGauges()
}

// Observe makes the processor call f with the report of every run that closes. All payloads are kept. It is for tools, which call it
// before Start.
func (p *Processor) Observe(f func(evaluate.Report)) {
	p.observe = f
	p.evaluator.KeepReports()
	p.read.KeepArguments, p.read.KeepOutput = true, true
}

// DryRun is Observe for tools that replay traces: time stands still from then on, and only Advance moves it. They call it in
// place of Start.
func (p *Processor) DryRun(f func(evaluate.Report)) {
	p.Observe(f)
	p.clock.stop()
	p.opening.Replay = true
}

// Capabilities says that the processor changes the traces that it is given.
func (*Processor) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// Start resumes what is stored, and begins to close runs that are due.
func (p *Processor) Start(ctx context.Context, host component.Host) error {
	p.host, p.began = host, p.clock.now()
	if err := p.Load(ctx); err != nil {
		return err
	}
	if p.set.Storage != nil {
		if err := p.resume(ctx); err != nil {
			return err
		}
	}
	attempts, abort := context.WithCancel(context.Background())
	ctx, stop := context.WithCancel(attempts)
	p.stop, p.abort = stop, abort
	p.done.Go(func() { every(ctx, tickInterval, p.wake, func() { p.tick(ctx, attempts) }) })
	if p.set.Source != nil && p.set.ReloadInterval > 0 { // apart, because to read a million cases takes seconds, and no verdict waits for that
		p.done.Go(func() { every(ctx, p.set.ReloadInterval, nil, func() { p.reload(ctx) }) })
	}
	return nil
}

// every calls f in intervals, and when it is woken, until ctx ends.
func every(ctx context.Context, interval time.Duration, wake <-chan struct{}, f func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-wake:
		}
		f()
	}
}

const (
	// flushTimeout bounds how long Shutdown keeps trying when its context has no end. It judges in the first of its shares.
	flushTimeout = 30 * time.Second
	flushShares  = 4
)

// Shutdown releases what has closed, and leaves open runs in the storage. Without one it judges and releases all that is held. It
// returns an error if ctx ends, or the next consumer refuses for flushTimeout, before all of it was accepted.
func (p *Processor) Shutdown(ctx context.Context) error {
	if err := p.halt(ctx); err != nil {
		return err
	}
	p.intake.Lock()
	again := p.closed
	p.closed = true
	p.intake.Unlock()
	if again {
		return nil
	}
	err := errors.Join(p.flush(ctx), p.journal.Close(ctx))
	p.metrics.Shutdown()
	return err
}

// halt stops the loop. An attempt to deliver that is under way may continue until ctx ends.
func (p *Processor) halt(ctx context.Context) error {
	if p.stop == nil {
		return nil
	}
	defer p.abort()
	p.stop()
	stopped := make(chan struct{})
	go func() {
		p.done.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
	}
	p.abort()
	select {
	case <-stopped:
		return nil
	case <-time.After(abortTimeout):
		err := fmt.Errorf("the next consumer neither accepts nor refuses judged spans: %w", ctx.Err())
		return errors.Join(err, p.journal.Close(ctx)) // stored spans are resumed; without a storage they are lost
	}
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
			c.Lost.Add(c.Traces, err)
			if !c.Next() {
				p.logLoss(c, "shutdown")
			}
		}
		return fmt.Errorf("%d judged spans were not accepted before the shutdown ended: %w", left, err)
	}
	return nil
}

// Advance moves the clock ahead by d, where it stands from then on, and closes what is due then. A tool calls it instead of waiting.
func (p *Processor) Advance(ctx context.Context, d time.Duration) {
	p.clock.advance(d)
	p.tick(ctx, ctx)
}

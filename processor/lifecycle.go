package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/correlate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/summaries"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/tracebuffer"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/mcptable"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/selfmetrics"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/verdictmetrics"
)

// New returns a processor that hands everything to next.
func New(set Settings, telemetry component.TelemetrySettings, next consumer.Traces) (*Processor, error) {
	builder, err := metadata.NewTelemetryBuilder(telemetry)
	if err != nil {
		return nil, err
	}
	p := &Processor{
		set: set, next: next, logger: telemetry.Logger, processes: lookup.NewProcesses(),
		telemetry: builder, metrics: selfmetrics.New(builder), wake: make(chan struct{}, 1),
		verdicts: verdictmetrics.New(builder, set.Metrics, set.AgentNames),
	}
	p.warn(set.Warnings)
	p.read.Store(p.newRules(evaluate.ExpectationSet{
		Expectations: set.Expectations, Fingerprint: set.Fingerprint, Arguments: set.Run.KeepArguments, Output: set.Run.KeepOutput,
	}))
	p.evaluator = evaluate.New(set.Settings)
	p.adopt()
	run := tracebuffer.Settings{Settings: set.Run}
	run.Stored = set.Storage != nil
	run.HoldCallSpans = set.AnnotateCalls
	run.Tools = dialect.Tools
	run.MaxClosed = p.rememberedRuns()
	run.Earlier = func(id pcommon.TraceID, add func(span, parent pcommon.SpanID, by agentrun.Process)) pcommon.Timestamp {
		_, missing := p.parents.Each(lookup.KeyOf(id), add)
		return missing
	}
	run.Known = func(id pcommon.TraceID, known bool) {
		if known {
			p.agentic.Add(lookup.KeyOf(id))
		} else {
			p.agentic.Remove(lookup.KeyOf(id))
		}
	}
	p.budget()
	p.correlator = p.newCorrelator()
	p.mcpSpans = mcptable.New(set.Run)
	p.run = run
	p.makeShards(shardCount)
	p.metrics.Begin()
	return p, p.registerGauges()
}

// registerGauges publishes the totals, and the set of expectations if it comes from files.
func (p *Processor) registerGauges() error {
	err := p.metrics.RegisterTotals(selfmetrics.Totals{
		OpenRuns: p.open.Load, Retained: p.Retained, Waiting: p.waiting.Load,
		OpenRunsLimit: int64(p.set.Limits.OpenRuns), BytesLimit: p.set.Limits.Bytes,
	})
	if p.set.Source == nil {
		return err
	}
	age := func() time.Duration { return p.clock.now().Sub(p.read.Load().since) }
	return errors.Join(err, p.metrics.RegisterSet(age, func() string { return p.read.Load().Fingerprint }))
}

// newCorrelator returns a correlator. If runs are stored, so are its summaries.
func (p *Processor) newCorrelator() *correlate.Correlator {
	set := correlate.Settings{Settings: p.set.Run, Summaries: summaries.Settings{Bytes: int(p.set.Limits.Bytes / summaryShare), Senders: &p.stepSenders}}
	if p.set.Storage != nil {
		set.Summaries.OnSummary = func(evidence []byte) { p.journal.AddSummary(p.clock.now(), evidence) }
	}
	return correlate.New(set)
}

// makeShards makes n shards, all of them empty.
func (p *Processor) makeShards(n int) {
	p.shards = make([]shard, n)
	for i := range p.shards {
		p.shards[i].runs = tracebuffer.New(&p.run)
		p.shards[i].lastSeen.Store(never)
	}
}

// DryRun makes the processor call f with the report of every run that closes. Time stands still from then on, and only
// Advance moves it. All payloads are kept. It is for tools that replay traces: they call it first, and instead of Start.
func (p *Processor) DryRun(f func(evaluate.Report)) {
	p.observe = f
	p.evaluator.KeepReports()
	p.clock.stop()
	p.run.Replay, p.run.KeepArguments, p.run.KeepOutput = true, true, true
}

// Capabilities says that the processor changes the traces that it is given.
func (*Processor) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// Start resumes what is stored, and begins to close runs that are due.
func (p *Processor) Start(ctx context.Context, host component.Host) error {
	p.host = host
	if err := p.Load(ctx); err != nil {
		return err
	}
	if err := p.openJournal(ctx, host); err != nil {
		return err
	}
	if err := p.resume(ctx); err != nil {
		err = errors.Join(err, p.journal.Close(ctx))
		p.journal = nil
		return err
	}
	if p.journal == nil {
		p.began = p.clock.now()
	}
	attempts, abort := context.WithCancel(context.Background())
	ctx, stop := context.WithCancel(attempts)
	p.stop, p.abort = stop, abort
	p.done.Go(func() { p.loop(ctx, attempts) })
	if p.set.Source != nil && p.set.ReloadInterval > 0 {
		p.done.Go(func() { p.reloadLoop(ctx) })
	}
	return nil
}

func (p *Processor) loop(ctx, attempts context.Context) {
	ticker := time.NewTicker(tickInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-p.wake:
		}
		p.tick(ctx, attempts)
	}
}

// Shutdown judges and releases everything that is held. It returns an error if ctx ends, or the next consumer refuses
// for flushTimeout, before all of it was accepted.
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
	err := p.flush(ctx)
	p.ticking.Lock()
	p.logProblems(p.evaluator.Unreported())
	p.ticking.Unlock()
	p.commit(ctx) // if the storage refuses it, released spans are released again, and nothing is lost
	err = errors.Join(err, p.journal.Close(ctx))
	p.telemetry.Shutdown()
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

// ConsumeTraces takes calls and links from td, holds its anchors back, and hands on the rest. If the next consumer
// refuses the rest, nothing is held either: the error covers the whole of td.
func (p *Processor) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if p.backlogged() {
		n := int64(td.SpanCount())
		p.telemetry.ProcessorToolCorrectnessSpansReceived.Add(ctx, n)
		p.telemetry.ProcessorToolCorrectnessSpansRefused.Add(ctx, n)
		return errBacklog
	}
	now := p.clock.now()
	b := p.scan(now, td)
	defer b.free()
	defer p.evictOverLimit(now)
	p.telemetry.ProcessorToolCorrectnessSpansReceived.Add(ctx, int64(b.Spans))
	p.metrics.Late(ctx, b.late)
	if err := p.store(ctx, now, b); err != nil {
		p.refused(b.held.Anchors)
		p.telemetry.ProcessorToolCorrectnessSpansRefused.Add(ctx, int64(b.Spans))
		return err
	}
	if rest := b.Spans - len(b.held.Anchors); rest > 0 || len(b.held.Anchors) == 0 {
		if err := p.next.ConsumeTraces(ctx, td); err != nil {
			p.refused(b.held.Anchors)
			p.telemetry.ProcessorToolCorrectnessSpansRefused.Add(ctx, int64(b.Spans))
			return err
		}
		p.telemetry.ProcessorToolCorrectnessSpansForwarded.Add(ctx, int64(rest))
		p.metrics.Unheld(ctx, &b.held.Unheld)
	}
	if len(b.held.Anchors) == 0 {
		return nil
	}
	return p.hold(ctx, b.held.Anchors)
}

// Advance moves the clock ahead by d and closes what is due then. A dry run calls it instead of waiting.
func (p *Processor) Advance(ctx context.Context, d time.Duration) {
	p.clock.advance(d)
	p.tick(ctx, ctx)
}

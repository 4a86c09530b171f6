package processor

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scan"
)

// batch is what one ConsumeTraces call found in its traces, and did with it.
type batch struct {
	scan.Batch
	// late has, for each late call, how long after the closing of its run it arrived.
	late  []time.Duration
	links []evidence.Trace // with nothing but the links of ordinary spans, each of a trace that is open
	held  heldspans.Taken
	// stored is what was stored, and slots are where.
	stored []evidence.Trace
	slots  []journal.Slot
}

// batches has batches whose memory is used again: even a batch of ordinary spans needs room for links, and for roots as
// candidates.
var batches = sync.Pool{New: func() any { return &batch{Batch: scan.NewBatch()} }}

// free keeps the memory of a batch for the next one.
func (b *batch) free() {
	b.Reset()
	*b = batch{Batch: b.Batch, held: heldspans.Taken{Held: scan.Emptied(b.held.Held)}, links: scan.Emptied(b.links)}
	batches.Put(b)
}

// ConsumeTraces takes facts and links from td, holds spans that wait for a verdict, and hands on the rest. If the next consumer
// refuses the rest, nothing is held either: the error covers the whole of td. What the spans say stays, because their sender repeats
// them.
func (p *Processor) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if p.backlogged() {
		n := int64(td.SpanCount())
		p.metrics.ProcessorToolCorrectnessSpansReceived.Add(ctx, n)
		p.metrics.ProcessorToolCorrectnessSpansRefused.Add(ctx, n)
		return errBacklog
	}
	now := p.clock.now()
	b := batches.Get().(*batch)
	defer b.free()
	defer p.evictOverLimit(now)
	p.take(now, b, td)
	p.metrics.ProcessorToolCorrectnessSpansReceived.Add(ctx, int64(b.Spans))
	p.metrics.late(ctx, b.late)
	if err := p.store(ctx, now, b); err != nil {
		p.forget(ctx, b)
		return err
	}
	if rest := b.Spans - len(b.held.Held); rest > 0 || len(b.held.Held) == 0 {
		if err := p.next.ConsumeTraces(ctx, td); err != nil {
			p.forget(ctx, b)
			return err
		}
		p.metrics.ProcessorToolCorrectnessSpansForwarded.Add(ctx, int64(rest))
		for why, n := range b.held.Unheld {
			if n > 0 {
				p.metrics.count(ctx, p.metrics.ProcessorToolCorrectnessSpansUnheld, n, "bound", heldspans.Bound(why).String())
			}
		}
	}
	if len(b.held.Held) == 0 {
		return nil
	}
	return p.hold(ctx, b)
}

// take reads a batch. What its spans say goes to the logs, and spans to hold are moved out of td.
func (p *Processor) take(now time.Time, b *batch, td ptrace.Traces) {
	b.Read(&p.read, td)
	for _, at := range b.Agents {
		p.evaluator.Clean(at.In(td))
	}
	p.logs.AddSteps(now, b.Steps)
	p.parents.Add(&b.Parents) // first, because a trace that opens looks for its links
	rest := b.Facts
	for i := range b.Groups {
		g := &b.Groups[i]
		open, late := p.logs.Append(now, g.Key, rest[:g.N])
		b.late, g.Late = append(b.late, late...), !open
		rest = rest[g.N:]
	}
	links := b.Parents.Links
	for _, t := range b.Parents.Traces {
		if p.agentic.MayContain(t.Hash) && p.logs.AppendLinks(now, t.Key, links[:t.N]) && p.journal != nil {
			b.links = append(b.links, evidence.Trace{Key: t.Key, Links: links[:t.N]})
		}
		links = links[t.N:]
	}
	// A root may stand before the calls of its trace, so candidates are asked for when all is written down.
	wanted := b.Candidates[:0]
	for i := range b.Candidates {
		if c := &b.Candidates[i]; p.mustHold(td, c) {
			if c.Kind == evidence.Root { // of the others it is known already that they are agents'
				p.evaluator.Clean(c.In(td))
			}
			wanted = append(wanted, *c)
		}
	}
	clear(b.Candidates[len(wanted):])
	b.Candidates = wanted
	if len(wanted) > 0 {
		b.held.Take(td, wanted, p.openBytes())
		p.origins.Add(b.held.Origins)
	}
}

// mustHold reports whether a candidate must be held: because it may represent a run, or as the span of a call.
func (p *Processor) mustHold(td ptrace.Traces, c *heldspans.Candidate) bool {
	span := c.In(td)
	key := evidence.Key{Trace: span.TraceID(), Partition: c.Partition}
	if c.Kind != evidence.Agent && !p.agentic.MayContain(lookup.KeyOf(key)) {
		return false
	}
	s := evidence.SpanOf(span, c.Process)
	if p.logs.ShouldHold(key, &s, c.Kind) {
		return true
	}
	if !c.Call || c.Kind == evidence.Tool {
		return false
	}
	c.Kind = evidence.Tool
	return p.logs.ShouldHold(key, &s, c.Kind)
}

// store writes what a batch says of each trace before any of its spans is forwarded, a record for each trace. If the storage refuses
// it, the caller must send the batch again.
func (p *Processor) store(ctx context.Context, now time.Time, b *batch) error {
	if p.journal == nil {
		return nil
	}
	traces := b.traces()
	bodies := make([][]byte, len(traces))
	for i := range traces {
		var err error
		if bodies[i], err = traces[i].AppendBinary(nil); err != nil {
			return err
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	slots, err := p.journal.Write(ctx, now, bodies, nil)
	p.diagnose(ctx, err)
	if err != nil {
		return err
	}
	b.stored, b.slots = traces, slots
	for i, slot := range slots {
		if !p.logs.Track(traces[i].Key, slot) {
			p.journal.Remove(slot)
		}
	}
	return nil
}

// traces has what the batch says of each trace that is stored.
func (b *batch) traces() (traces []evidence.Trace) {
	at := make(map[evidence.Key]int)
	of := func(k evidence.Key) *evidence.Trace {
		i, known := at[k]
		if !known {
			i = len(traces)
			at[k], traces = i, append(traces, evidence.Trace{Key: k})
		}
		return &traces[i]
	}
	rest := b.Facts
	for _, g := range b.Groups {
		if !g.Late {
			t := of(g.Key)
			t.Facts = append(t.Facts, rest[:g.N]...)
		}
		rest = rest[g.N:]
	}
	for _, l := range b.links {
		t := of(l.Key)
		t.Links = append(t.Links, l.Links...)
	}
	for _, h := range b.held.Held {
		t := of(h.Key())
		t.Held = append(t.Held, h)
	}
	return traces
}

// forget gives up the held spans of a batch that was refused, and its records. Its sender repeats it.
func (p *Processor) forget(ctx context.Context, b *batch) {
	p.leave(b.held.Held)
	p.logs.Await(b.held.Held)
	p.metrics.ProcessorToolCorrectnessSpansRefused.Add(ctx, int64(b.Spans))
	for i, slot := range b.slots {
		if p.logs.Untrack(b.stored[i].Key, slot) {
			p.journal.Remove(slot)
		}
	}
}

// diagnose counts the storage's errors, and says when they begin and when they end.
func (p *Processor) diagnose(ctx context.Context, err error) {
	if err == nil {
		if p.storageFailing.Load() && p.storageFailing.Swap(false) {
			p.reportRecovery()
			p.logger.Info("the storage takes records again")
		}
		return
	}
	if ctx.Err() != nil {
		return // the caller gave up, and that is not the storage's fault
	}
	p.metrics.ProcessorToolCorrectnessStorageErrors.Add(ctx, 1)
	if !p.storageFailing.Swap(true) {
		componentstatus.ReportStatus(p.host, componentstatus.NewRecoverableErrorEvent(err))
		p.logger.Error("the storage does not take records; batches with agents' spans are refused until it does", zap.Error(err))
	}
}

// hold gives the held spans to their logs. Copies of spans whose run has closed in the meantime are forwarded without a verdict. After
// Shutdown all are forwarded, because no run is judged any more.
func (p *Processor) hold(ctx context.Context, b *batch) error {
	late := p.toLogs(b.held.Held)
	p.metrics.ProcessorToolCorrectnessSpansHeld.Add(ctx, int64(len(b.held.Held)-len(late)))
	if len(late) == 0 {
		return nil
	}
	p.leave(late)
	c := heldspans.NewBatch()
	defer pref.UnrefTraces(c.Traces)
	for i := range late {
		c.Place(&late[i])
	}
	if err := p.next.ConsumeTraces(ctx, c.Traces); err != nil {
		p.metrics.ProcessorToolCorrectnessSpansRefused.Add(ctx, int64(c.Spans))
		return err
	}
	p.metrics.ProcessorToolCorrectnessSpansForwarded.Add(ctx, int64(c.Spans))
	return nil
}

// toLogs returns the spans that no log takes.
func (p *Processor) toLogs(held []evidence.Held) (late []evidence.Held) {
	p.intake.RLock()
	defer p.intake.RUnlock()
	if p.closed {
		return held
	}
	now := p.clock.now() // read again, because the next consumer may have been slow
	p.waiting.Add(int64(len(held)))
	for _, h := range held {
		taken, run := p.logs.Hold(now, h)
		switch {
		case taken:
			if x, full := p.logs.TakeFull(now, h.Key()); full {
				p.enqueue(p.examine(x))
			}
		case run != nil:
			p.enqueue(p.await(&examination{Closed: runs.Closed{Runs: []runs.Run{*run}}}))
		default:
			late = append(late, h)
		}
	}
	p.waiting.Add(-int64(len(late)))
	return late
}

// evictOverLimit closes runs until the processor is within its limits: first those that are due, then those that have been
// idle longest.
func (p *Processor) evictOverLimit(now time.Time) {
	if !p.overLimit() {
		return
	}
	p.intake.RLock() // so that Shutdown finds what closes in the logs or in the queue
	defer p.intake.RUnlock()
	for !p.closed && p.overLimit() {
		x, found := p.logs.Take(now)
		if !found {
			x, found = p.logs.TakeAny(now, evidence.ByLimit)
		}
		if !found {
			return
		}
		p.enqueue(p.examine(x))
	}
}

// An examination has what it closed, and goes back to its log once all of that was delivered.
type examination = open.Examination

func (p *Processor) examine(x *examination) *examination {
	x.Closed = runs.Runs(&x.Log, &p.read.Options, &x.Examination)
	p.logs.Summarize(x.Now, x.Traces[0].Key.Partition, x.Closed.Runs)
	return p.await(x)
}

// await counts the memory of what was examined until it is delivered.
func (p *Processor) await(x *examination) *examination {
	x.Retained = x.Closed.Size() + int64(x.Size())
	p.undelivered.Add(x.Retained)
	return x
}

// enqueue leaves what closed to the next tick, which comes at once.
func (p *Processor) enqueue(x *examination) {
	p.queue.mu.Lock()
	p.queue.all = append(p.queue.all, x)
	p.queue.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // it is coming anyway
	}
}

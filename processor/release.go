package processor

import (
	"context"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
)

const (
	// builtBytes is how much is judged before it is sent. What is written on spans may be many times as long as they are,
	// so all at once could be many times what is held.
	builtBytes = 8 << 20
	// annotatedCopies is how many copies of one span get its verdict. Real ones are retried exports, of which there are a few.
	annotatedCopies = 16
)

// A releaseBuilder puts held spans into release batches.
type releaseBuilder struct {
	batches []*releaseBatch
	open    *releaseBatch // may have room
	bytes   int64         // of the release batches that have none
	scratch scratch
}

// room is a release batch that has room for a span, with more bytes that will be written on it.
func (k *releaseBuilder) room(a *agentrun.Anchor, more int) *releaseBatch {
	if k.open == nil || !k.open.hasRoom(a, more) {
		k.close()
		k.open = newReleaseBatch()
	}
	return k.open
}

// close puts the release batch in hand to the others.
func (k *releaseBuilder) close() {
	if k.open != nil && k.open.spans > 0 {
		k.bytes += k.open.size
		k.batches = append(k.batches, k.open)
	}
	k.open = nil
}

// full reports whether there is enough to send.
func (k *releaseBuilder) full() bool { return k.bytes >= builtBytes }

// buildReleases judges runs of the backlog and puts their anchors into release batches, as much as is to be sent at once. Once
// ctx has ended it judges no more: it returns how many spans of runs are without a verdict for that. The caller holds ticking.
func (p *Processor) buildReleases(ctx context.Context) (unjudged int) {
	h := &p.backlog
	p.countLate(ctx, h.Late)
	p.telemetry.ProcessorToolCorrectnessDuplicateCalls.Add(ctx, int64(h.Duplicates))
	h.Late, h.Duplicates = nil, 0
	k, before := releaseBuilder{batches: p.releaseBatches}, len(p.releaseBatches)
	var packed int64
	if len(h.Runs) > 0 {
		ctx = condition.Remember(ctx) // runs of one resource ask the same of its texts
		ctx, p.exemplar = withExemplar(ctx)
	}
	for len(h.Runs) > 0 && !k.full() {
		run := &h.Runs[0]
		packed += run.Retained()
		if ctx.Err() == nil {
			p.buildRun(ctx, &k, *run)
		} else {
			unjudged += k.passRun(run)
		}
		*run, h.Runs = agentrun.Run{}, h.Runs[1:]
	}
	for len(h.Passthrough) > 0 && !k.full() {
		a := &h.Passthrough[0]
		packed += int64(a.Size)
		k.room(a, 0).add(a)
		*a, h.Passthrough = agentrun.Anchor{}, h.Passthrough[1:]
	}
	k.close()
	p.releaseBatches = k.batches
	for _, c := range p.releaseBatches[before:] {
		c.places = nil
		packed -= c.size
	}
	if len(h.Runs)+len(h.Passthrough) == 0 {
		p.ack(h.Checkpoints)
		packed += p.closing
		p.backlog, p.closing = agentrun.ClosedBatch{}, 0
	}
	// The calls are judged and kept no longer; what is in release batches still is.
	p.undelivered.Add(-packed)
	return unjudged
}

// passRun puts the spans of a run into release batches without a verdict, and returns how many they are. What is stored of a
// run without a span stays in the storage.
func (k *releaseBuilder) passRun(run *agentrun.Run) int {
	for _, held := range [...][]agentrun.Anchor{run.Companions, run.Anchors} {
		for i := range held {
			k.room(&held[i], 0).add(&held[i])
		}
	}
	return len(run.Companions) + len(run.Anchors)
}

// buildRun judges a run and puts its spans into release batches. The run's own span goes last: while it is stored, a start
// after a crash finds out what to say of the spans of calls that had not left. What is stored of the parts of a run goes with
// its own span, too: without one of them the others would be judged as if they were all. So a part may come twice, without a
// verdict.
func (p *Processor) buildRun(ctx context.Context, k *releaseBuilder, run agentrun.Run) {
	p.adopt()
	p.exemplar.set(&run) // before anything of the run is counted
	p.telemetry.ProcessorToolCorrectnessRunsClosed.Add(ctx, 1, p.instruments.closed[run.ClosedBy]...)
	if p.set.IgnoreFailed || len(p.set.Exclude) > 0 { // only now it is known of all calls whether they failed, and their names
		run.Calls = slices.DeleteFunc(run.Calls, p.leavesOut)
	}
	p.countContested(ctx, &run)
	run.Complete = run.Complete && !p.wasUnderWay(run)
	spans := k.companions(run.Companions, p.instruments.callWire)
	copies := k.scratch.copies[:0]
	for i := range run.Anchors {
		copies = k.copy(copies, &run.Anchors[i], p.instruments.annotationWire)
	}
	k.scratch.copies = copies
	if len(copies) > 0 {
		own := copies[0].batch
		own.checkpoints = append(own.checkpoints, run.Checkpoints...)
		own.ownRecords(run.Companions)
	} else {
		p.ack(run.Checkpoints)
		if len(run.Companions) > 0 {
			k.open.ownRecords(run.Companions)
		}
	}
	p.report(ctx, k, run, copies, spans)
}

// report judges a run, and writes what is to be said on its spans.
func (p *Processor) report(ctx context.Context, k *releaseBuilder, run agentrun.Run, copies, spans []placed) {
	var anchor *condition.Place
	if len(copies) > 0 {
		anchor = &copies[0].Place
	}
	r := &k.scratch.report
	*r = Report{Run: run}
	p.evaluate(ctx, &k.scratch, r, anchor)
	p.annotateCalls(r, copies, spans)
	for i, at := range copies {
		wire, parts := p.annotate(at.Span.Attributes(), r, i == 0 && run.Anchors[0].Agent != "")
		more, further := p.annotateForms(at.Span, r)
		wire, parts = wire+more, parts+further
		if i > 0 {
			at.batch.wire -= p.instruments.annotationWire
		}
		at.batch.grow(wire, parts)
	}
	if p.observe != nil {
		if anchor != nil {
			r.Span = anchor.Span
		}
		p.observe(*r)
		k.scratch = scratch{} // it may keep the report
	}
}

// companions puts the parts of a run into release batches, and returns the spans of its calls. On each of those more bytes may
// be written.
func (k *releaseBuilder) companions(all []agentrun.Anchor, more int) []placed {
	k.scratch.spans = k.scratch.spans[:0]
	for i := range all {
		a := &all[i]
		if a.Kind != agentrun.Tool {
			k.room(a, 0).place(a)
			continue
		}
		c := k.room(a, more)
		k.scratch.spans = append(k.scratch.spans, c.add(a))
		c.grow(more, 2)
	}
	return k.scratch.spans
}

// copy puts a copy of the run's own span into a release batch. Of all but the first it is not known yet whether what is written
// on them will fit as well, so the most that may be is reserved. Far more copies than there are real ones get no verdict.
func (k *releaseBuilder) copy(copies []placed, a *agentrun.Anchor, most int) []placed {
	if len(copies) == annotatedCopies {
		k.room(a, 0).add(a)
		return copies
	}
	if len(copies) == 0 {
		most = 0
	}
	c := k.room(a, most)
	at := c.add(a)
	c.wire += most
	c.remember(a)
	return append(copies, at)
}

// ownRecords has what is stored of the parts of a run removed with the release batch of its own span.
func (c *releaseBatch) ownRecords(companions []agentrun.Anchor) {
	for i := range companions {
		if a := &companions[i]; a.Kind != agentrun.Tool {
			c.ownRecord(a)
			c.remember(a)
		}
	}
}

// wasUnderWay reports whether calls of a run may have come to a processor before this one, or to none at all: its span
// had begun when this one began, and had not ended for longer than the idle timeout. Senders come again for about as long.
func (p *Processor) wasUnderWay(run agentrun.Run) bool {
	if p.began.IsZero() || len(run.Anchors) == 0 {
		return false
	}
	anchor := run.Anchors[0].Span
	return anchor.Start.AsTime().Before(p.began) && anchor.End.AsTime().After(p.began.Add(-p.set.Run.IdleTimeout))
}

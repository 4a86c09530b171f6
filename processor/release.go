package processor

import (
	"context"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

const (
	// builtBytes is how much is judged before it is sent. What is written on spans may be many times as long as they are,
	// so all at once could be many times what is held.
	builtBytes = 8 << 20
)

// A releaseBuilder puts held spans into release batches.
type releaseBuilder struct {
	batches []*releasebatch.Batch
	open    *releasebatch.Batch // may have room
	bytes   int64               // of the release batches that have none

	evaluation evaluate.Evaluation
	// spans are those of the run in hand, and own has the release batch of each copy of its own span.
	spans evaluate.Spans
	own   [evaluate.MaxCopies]*releasebatch.Batch
}

// room is a release batch that has room for a span, with more bytes that will be written on it.
func (k *releaseBuilder) room(a *agentrun.Anchor, more int) *releasebatch.Batch {
	if k.open == nil || !k.open.HasRoom(a, more) {
		k.close()
		k.open = releasebatch.New()
	}
	return k.open
}

// close puts the release batch in hand to the others.
func (k *releaseBuilder) close() {
	if k.open != nil && k.open.Spans > 0 {
		k.bytes += k.open.Size
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
		k.room(a, 0).Add(a)
		*a, h.Passthrough = agentrun.Anchor{}, h.Passthrough[1:]
	}
	k.close()
	p.releaseBatches = k.batches
	for _, c := range p.releaseBatches[before:] {
		c.Seal()
		packed -= c.Size
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
			k.room(&held[i], 0).Add(&held[i])
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
	run.Complete = run.Complete && !p.wasUnderWay(run)
	k.companions(run.Companions, p.evaluator.MostOnCall())
	k.spans.Own = k.spans.Own[:0]
	for i := range run.Anchors {
		k.copy(&run.Anchors[i], p.evaluator.MostOnRun())
	}
	if len(k.spans.Own) > 0 {
		own := k.own[0]
		own.Checkpoints = append(own.Checkpoints, run.Checkpoints...)
		own.OwnRecords(run.Companions)
	} else {
		p.ack(run.Checkpoints)
		if len(run.Companions) > 0 {
			k.open.OwnRecords(run.Companions)
		}
	}
	p.evaluate(ctx, k, run)
}

// companions puts the parts of a run into release batches, and notes the spans of its calls. On each of those more bytes may
// be written.
func (k *releaseBuilder) companions(all []agentrun.Anchor, more int) {
	k.spans.Calls = k.spans.Calls[:0]
	for i := range all {
		a := &all[i]
		if a.Kind != agentrun.Tool {
			k.room(a, 0).Place(a)
			continue
		}
		c := k.room(a, more)
		k.spans.Calls = append(k.spans.Calls, c.Add(a).Span)
		c.Grow(more, 2)
	}
}

// copy puts a copy of the run's own span into a release batch. Of all but the first it is not known yet whether what is written
// on them will fit as well, so the most that may be is reserved. Far more copies than there are real ones get no verdict.
func (k *releaseBuilder) copy(a *agentrun.Anchor, most int) {
	n := len(k.spans.Own)
	if n == evaluate.MaxCopies {
		k.room(a, 0).Add(a)
		return
	}
	if n == 0 {
		most = 0
	}
	c := k.room(a, most)
	k.spans.Own, k.own[n] = append(k.spans.Own, c.Add(a)), c
	c.Wire += most
	c.Remember(a)
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

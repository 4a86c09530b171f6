package processor

import (
	"context"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// A releaseBuilder has runs judged and puts their spans into release batches.
type releaseBuilder struct {
	releasebatch.Builder
	evaluation evaluate.Evaluation
}

// buildReleases judges runs of the backlog and puts their anchors into release batches, as much as is sent at once. Once ctx
// has ended it judges no more, and returns how many spans of runs have no verdict for that reason. The caller must hold
// ticking.
func (p *Processor) buildReleases(ctx context.Context) (unjudged int) {
	h := &p.backlog
	p.countLate(ctx, h.Late)
	p.telemetry.ProcessorToolCorrectnessDuplicateCalls.Add(ctx, int64(h.Duplicates))
	h.Late, h.Duplicates = nil, 0
	before := len(p.releaseBatches)
	var k releaseBuilder
	k.Batches = p.releaseBatches
	var packed int64
	if len(h.Runs) > 0 {
		ctx = condition.Remember(ctx) // runs of one resource ask the same of its texts
		ctx = p.verdicts.WithExemplar(ctx)
	}
	for len(h.Runs) > 0 && !k.Full() {
		run := &h.Runs[0]
		packed += run.Retained()
		if ctx.Err() == nil {
			p.buildRun(ctx, &k, run)
		} else {
			unjudged += k.PassRun(run)
		}
		*run, h.Runs = agentrun.Run{}, h.Runs[1:]
	}
	for len(h.Passthrough) > 0 && !k.Full() {
		a := &h.Passthrough[0]
		packed += int64(a.Size)
		k.Pass(a)
		*a, h.Passthrough = agentrun.Anchor{}, h.Passthrough[1:]
	}
	k.Close()
	p.releaseBatches = k.Batches
	for _, c := range p.releaseBatches[before:] {
		c.Seal()
		packed -= c.Size
	}
	if len(h.Runs)+len(h.Passthrough) == 0 {
		p.ack(h.Checkpoints)
		packed += p.closing
		p.backlog, p.closing = agentrun.ClosedBatch{}, 0
	}
	// The judged calls are not kept any longer; the spans in release batches are.
	p.undelivered.Add(-packed)
	return unjudged
}

// buildRun judges a run and puts its spans into release batches.
func (p *Processor) buildRun(ctx context.Context, k *releaseBuilder, run *agentrun.Run) {
	p.adopt()
	p.verdicts.SetRun(run) // before anything of the run is counted
	p.telemetry.ProcessorToolCorrectnessRunsClosed.Add(ctx, 1, p.instruments.closed[run.ClosedBy]...)
	run.Complete = run.Complete && !p.wasUnderWay(run)
	k.PlaceRun(run, p.evaluator.MostOnCall(), p.evaluator.MostOnRun())
	if len(k.Own) == 0 {
		p.ack(run.Checkpoints)
	}
	p.evaluate(ctx, k, run)
}

// wasUnderWay reports whether calls of a run may have reached an earlier processor, or none at all. That is so if its span
// had begun when this one began, and had not ended for longer than the idle timeout. Senders retry for about as long.
func (p *Processor) wasUnderWay(run *agentrun.Run) bool {
	if p.began.IsZero() || len(run.Anchors) == 0 {
		return false
	}
	anchor := run.Anchors[0].Span
	return anchor.Start.AsTime().Before(p.began) && anchor.End.AsTime().After(p.began.Add(-p.set.Run.IdleTimeout))
}

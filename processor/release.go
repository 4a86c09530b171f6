package processor

import (
	"context"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// The processor judges up to runsAtOnce runs and then annotates their spans. The instruction cache of most machines has no
// room for the code of both. It takes no further run once the runs have more than bytesAtOnce bytes.
const runsAtOnce, bytesAtOnce = 4, 1 << 16

// first returns the first of runs, which are judged together before their spans are annotated.
func first(runs []agentrun.Run) []agentrun.Run {
	n := 1
	for size := runs[0].Retained(); n < min(len(runs), runsAtOnce) && size <= bytesAtOnce; n++ {
		size += runs[n].Retained()
	}
	return runs[:n]
}

// buildReleases judges runs of the backlog and puts their anchors into release batches, as much as is sent at once. Once ctx
// has ended it judges no more, and returns how many spans of runs have no verdict for that reason. The caller must hold
// ticking.
func (p *Processor) buildReleases(ctx context.Context) (passthrough int) {
	h := &p.backlog
	p.metrics.Late(ctx, h.Late)
	p.telemetry.ProcessorToolCorrectnessDuplicateCalls.Add(ctx, int64(h.Duplicates))
	h.Late, h.Duplicates = nil, 0
	before := len(p.releaseBatches)
	var k releasebatch.Builder
	k.Batches = p.releaseBatches
	var packed int64
	if len(h.Runs) > 0 {
		ctx = ottlfunctions.Remember(ctx) // runs of one resource evaluate the same functions on its texts
		ctx = p.verdicts.WithExemplar(ctx)
	}
	for len(h.Runs) > 0 && !k.Full() {
		runs := first(h.Runs)
		judged := p.judge(ctx, runs)
		for i := range runs {
			packed += runs[i].Retained()
			if i < judged {
				p.buildRun(ctx, &k, &runs[i], &p.evaluations[i])
			} else {
				passthrough += k.PassRun(&runs[i])
			}
		}
		clear(runs)
		h.Runs = h.Runs[len(runs):]
	}
	for len(h.Passthrough) > 0 && !k.Full() {
		a := &h.Passthrough[0]
		packed += int64(a.Size)
		k.Pass(a)
		*a, h.Passthrough = agentrun.Anchor{}, h.Passthrough[1:]
	}
	for i := range p.evaluations {
		p.evaluations[i].Forget()
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
	return passthrough
}

// judge judges runs until ctx has ended, and returns how many it judged.
func (p *Processor) judge(ctx context.Context, runs []agentrun.Run) (judged int) {
	p.adopt()
	for i := range runs {
		if ctx.Err() != nil {
			return i
		}
		run := &runs[i]
		run.Complete = run.Complete && !p.wasUnderWay(run)
		p.evaluator.Judge(ctx, &p.evaluations[i], run)
	}
	return len(runs)
}

// buildRun puts the spans of a judged run into release batches and annotates them, and counts the results.
func (p *Processor) buildRun(ctx context.Context, k *releasebatch.Builder, run *agentrun.Run, v *evaluate.Evaluation) {
	p.verdicts.SetRun(run) // before anything of the run is counted
	p.metrics.RunClosed(ctx, run.ClosedBy)
	k.PlaceRun(run, p.evaluator.MostOnCall(), p.evaluator.MostOnRun())
	if len(k.Own) == 0 {
		p.ack(run.Checkpoints)
	}
	p.evaluator.Annotate(v, evaluate.Spans{Own: k.Own, Calls: k.Calls})
	for i := range k.Own {
		k.Wrote(i, v.Written[i].Wire, v.Written[i].Parts)
	}
	p.countEvaluation(ctx, v)
	if p.observe != nil {
		if len(k.Own) > 0 {
			v.Report.Span = k.Own[0].Span
		}
		p.observe(v.Report)
		*v = evaluate.Evaluation{} // the report may be kept
	}
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

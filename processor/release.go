package processor

import (
	"context"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

// buildReleases judges runs of the backlog and puts their anchors into release batches, as much as is sent at once. Once ctx
// has ended it judges no more, and returns how many spans of runs have no verdict for that reason. The caller must hold
// ticking.
func (p *Processor) buildReleases(ctx context.Context) (passthrough int) {
	h, k := &p.backlog, &p.leaving
	p.metrics.Late(ctx, h.Late)
	p.telemetry.ProcessorToolCorrectnessDuplicateCalls.Add(ctx, int64(h.Duplicates))
	h.Late, h.Duplicates = nil, 0
	taken := k.Size() // bytes that are not kept alive any longer, or in a release batch from now on
	if k.Len() == 0 && !p.allBuilt() {
		passthrough, taken = p.judgeBacklog(ctx)
	}
	built := k.Build()
	taken -= k.Size()
	for _, c := range built {
		taken -= c.Size
	}
	p.releaseBatches = append(p.releaseBatches, built...)
	if p.allBuilt() {
		p.ack(h.Checkpoints)
		taken += p.closing
		p.backlog, p.closing = agentrun.ClosedBatch{}, 0
	}
	p.undelivered.Add(-taken)
	return passthrough
}

// allBuilt reports whether all closed runs and other held spans are in release batches.
func (p *Processor) allBuilt() bool {
	return len(p.backlog.Runs)+len(p.backlog.Passthrough)+p.leaving.Len() == 0
}

// judgeBacklog judges runs of the backlog, until enough of them leave or their slice is over. Spans without a verdict leave
// before. It returns how many spans of runs have no verdict because ctx has ended, and how many bytes left the backlog.
func (p *Processor) judgeBacklog(ctx context.Context) (passthrough int, bytes int64) {
	h, k := &p.backlog, &p.leaving
	for len(h.Passthrough) > 0 && !k.Full() {
		bytes += int64(h.Passthrough[0].Size)
		k.Pass(&h.Passthrough[0])
		h.Passthrough = h.Passthrough[1:]
	}
	// Runs of one resource evaluate the same functions on its texts. Measurements do not get this: the SDK keeps their contexts.
	conditions := ottlfunctions.Remember(ctx)
	began := p.clock.now()
	for len(h.Runs) > 0 && !k.Full() && !p.turns.Over() {
		runs := p.turns.Next(h.Runs)
		judged := p.judge(conditions, runs)
		for i := range runs {
			bytes += runs[i].Retained()
			if i < judged {
				p.finish(ctx, &runs[i], &p.evaluations[i])
			} else {
				passthrough += k.PassRun(&runs[i])
			}
		}
		now := p.clock.now()
		p.turns.Judged(runs, now.Sub(began))
		began = now
		clear(runs)
		h.Runs = h.Runs[len(runs):]
	}
	for i := range p.evaluations {
		p.evaluations[i].Forget()
	}
	return passthrough, bytes
}

// judge judges runs until ctx has ended, and returns how many it judged.
func (p *Processor) judge(ctx context.Context, runs []agentrun.Run) (judged int) {
	p.adopt()
	for i := range runs {
		if ctx.Err() != nil {
			return i
		}
		run := &runs[i]
		run.Complete = run.Complete && !p.wasUnderWay(run) && !p.callIDs.MayHaveLost(run)
		p.evaluator.Judge(ctx, &p.evaluations[i], run)
	}
	return len(runs)
}

// finish annotates the spans of a judged run, counts the results, and lets the spans leave.
func (p *Processor) finish(ctx context.Context, run *agentrun.Run, v *evaluate.Evaluation) {
	ctx = p.verdicts.WithRun(ctx, run)
	p.metrics.RunClosed(ctx, run.ClosedBy)
	p.evaluator.Annotate(v)
	p.countEvaluation(ctx, v)
	if p.observe != nil {
		p.observe(v.Report)
		*v = evaluate.Evaluation{} // the report may be kept
	}
	if len(run.Anchors) == 0 {
		p.ack(run.Checkpoints)
	}
	p.leaving.Take(run)
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

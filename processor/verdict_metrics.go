package processor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// countVerdict counts a verdict, and its score if it has one. The context carries the run's trace for exemplars: see
// [exemplar].
func (p *Processor) countVerdict(ctx context.Context, res *evaluate.Result, run *agentrun.Run) {
	v := &res.Verdict
	of := p.instruments.labels[res.Index].kindOf(verdictKind{res.Expectation, p.agents.label(run), v.Status, v.Passed, run.Complete})
	p.telemetry.ProcessorToolCorrectnessVerdicts.Add(ctx, 1, of.count...)
	if n := len(v.Alignment.Forbidden); n > 0 {
		p.telemetry.ProcessorToolCorrectnessForbiddenCalls.Add(ctx, int64(n), of.called...)
	}
	if v.Status == scoring.Scored {
		p.telemetry.ProcessorToolCorrectnessScore.Record(ctx, v.Score, of.record...)
	}
}

// timeVerdict records how long after the end of a run its verdict is released. The end is the sender's time, so clocks that
// differ shift it; a time before the end counts as 0.
func (p *Processor) timeVerdict(ctx context.Context, run *agentrun.Run) {
	if len(run.Anchors) == 0 || run.Anchors[0].End == 0 {
		return
	}
	now := pcommon.NewTimestampFromTime(p.clock.now())
	var seconds float64
	if end := run.Anchors[0].End; now > end {
		seconds = now.AsTime().Sub(end.AsTime()).Seconds()
	}
	p.telemetry.ProcessorToolCorrectnessVerdictDelay.Record(ctx, seconds)
}

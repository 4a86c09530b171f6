package processor

import (
	"context"

	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// countEvaluation counts and logs the results of a run.
func (p *Processor) countEvaluation(ctx context.Context, v *evaluate.Evaluation) {
	run := &v.Report.Run
	if v.Failures > 0 {
		p.metrics.ProcessorToolCorrectnessConditionErrors.Add(ctx, v.Failures)
	}
	p.logProblems(v.Problems)
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

// logProblems logs what is wrong with expectations.
func (p *Processor) logProblems(problems []evaluate.Problem) {
	for _, problem := range problems {
		p.logger.Sugar().Warnw(problem.Message, problem.Details...)
	}
}

// logVerdict logs the steps to a verdict, without values.
func (p *Processor) logVerdict(m *evaluate.Metric, res *evaluate.Result, run *runs.Run) {
	v := &res.Verdict
	p.logger.Info("judged a run", zap.Stringer("trace_id", run.Trace), zap.String("metric", m.Name),
		zap.String("expectation", res.Expectation),
		zap.String("method", m.Method.Name()), zap.Stringer("status", v.Status), zap.Float64("score", v.Score),
		zap.Float64("threshold", v.Threshold), zap.Strings("called", evaluate.ShownNames(run.Calls)),
		zap.Strings("steps", v.Alignment.Steps()), zap.String("reason", v.Reason(scoring.ReasonOptions{})))
}

package evaluate

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/langwatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// newLangWatch returns nil if verdicts have only our own form.
func newLangWatch(set *Settings) *langwatch.Writer {
	if !set.LangWatch {
		return nil
	}
	names := make([]string, len(set.Metrics))
	for i := range set.Metrics {
		names[i] = set.Metrics[i].Name
	}
	return langwatch.New(names)
}

// annotateLangWatch writes the verdicts of a report for LangWatch, if that is configured. It returns what [langwatch.Writer.Write]
// does.
func (e *Evaluator) annotateLangWatch(span ptrace.Span, r *Report) (wire, events int) {
	if e.langwatch == nil || len(r.Results) == 0 {
		return 0, 0
	}
	verdicts := make([]langwatch.Verdict, len(r.Results))
	for i := range r.Results {
		res := &r.Results[i]
		v := &res.Verdict
		verdicts[i] = langwatch.Verdict{
			Metric: res.Metric, Scored: v.Status == scoring.Scored, Score: v.Score, Passed: v.Passed,
			Failed: v.Status == scoring.Failed || v.Status == scoring.Undefined, Reason: res.Reason,
		}
	}
	return e.langwatch.Write(span, verdicts)
}

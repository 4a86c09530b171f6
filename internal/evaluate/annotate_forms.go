package evaluate

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func newForms(set *Settings) *scoreforms.Forms {
	names := make([]string, len(set.Metrics))
	for i := range set.Metrics {
		names[i] = set.Metrics[i].Name
	}
	return scoreforms.New(set.Forms, names)
}

// annotateForms writes the verdicts of a report in the configured forms of other backends. It returns what [scoreforms.Forms.Write]
// does.
func (e *Evaluator) annotateForms(span ptrace.Span, r *Report) (wire, parts int) {
	if e.forms == nil || len(r.Results) == 0 {
		return 0, 0
	}
	verdicts := make([]scoreforms.Verdict, len(r.Results))
	for i := range r.Results {
		res := &r.Results[i]
		v := &res.Verdict
		verdicts[i] = scoreforms.Verdict{
			Metric: res.Metric, Scored: v.Status == scoring.Scored, Score: v.Score, Passed: v.Passed,
			Failed: v.Status == scoring.Failed || v.Status == scoring.Undefined, Reason: res.Reason,
		}
	}
	return e.forms.Write(span, verdicts)
}

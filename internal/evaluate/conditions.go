package evaluate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// bindConditions gives the expectations of a run the values that their conditions read.
func (e *Evaluator) bindConditions(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	for i := range v.matches {
		if m := &v.matches[i]; m.fault == "" && m.expected.HasConditions() {
			if v.where.Failed == nil {
				e.bindRun(ctx, v, anchor)
			}
			m.expected = m.expected.With(&v.where)
		}
	}
}

func (e *Evaluator) bindRun(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	run := &v.Report.Run
	v.where = conditions.Run{Context: ctx, Calls: v.calls, Anchor: anchor, Quote: e.set.QuoteValues}
	v.where.Duration = func(i int) (time.Duration, bool) {
		c := &run.Calls[i]
		return time.Duration(c.End - c.Start), c.Source != runs.FromModel && c.Start != 0 && c.End >= c.Start //nolint:gosec // only spans have a duration
	}
	v.where.Failed = func(c *conditions.CallCondition, call int, err error) {
		on, f := &run.Calls[call], &v.judged.used.cases
		if v.judged.Cases == nil {
			if f = e.rules.callErrors[c]; f == nil {
				f = &textErrors{}
				e.rules.callErrors[c] = f
			}
		}
		f.about = []any{"expectation", v.judged.Name, "where", c.String()}
		v.failed = fmt.Sprintf("a condition on calls of %s could not be evaluated", scoring.SafeName(on.Name, maxLoggedName))
		e.failed(v, f, "the condition of an expected tool failed on a call, and the call does not match", on.Trace, on.ID, err)
	}
}

// maxLoggedName is how much of a tool's name is shown.
const maxLoggedName = 64

// A Problem is something to log. It has no value of a span or a call, unless [Settings.QuoteValues] says so.
type Problem struct {
	Message string
	Details []any // keys and values for the log, in turns
}

// textErrors is how often a text of OTTL in an expectation failed: its condition, the key of its dataset, or the condition of a tool.
type textErrors struct {
	// subject says what failed, effect what that means, and about which text it is, as keys and values for the log.
	subject, effect string
	about           []any
	count           int64
	// reported is the count that a problem has had.
	reported int64
}

// failed notes that a text failed on a span. To keep the log short, it is a problem at the first, the tenth, the hundredth failure and
// so on.
func (e *Evaluator) failed(v *Evaluation, f *textErrors, message string, trace pcommon.TraceID, span pcommon.SpanID, err error) {
	v.Failures++
	f.count++
	if e.set.ErrorMode == SilenceErrors || f.count < max(10*f.reported, 1) {
		return
	}
	f.reported = f.count
	v.Problems = append(v.Problems, Problem{message, slices.Concat(f.about, []any{
		"failures", f.count, "error", conditions.Failure(err, e.set.QuoteValues), "trace_id", trace, "span_id", span,
	})})
}

// failedOnSpan notes that a text of an expectation failed on an anchor.
func (e *Evaluator) failedOnSpan(v *Evaluation, f *textErrors, anchor *conditions.Place, err error) {
	e.failed(v, f, f.subject+" failed on a span, and counts "+f.effect, anchor.Span.TraceID(), anchor.Span.SpanID(), err)
}

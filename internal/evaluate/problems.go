package evaluate

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

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
	// reported is the count that a problem has had, and next the one at which there is a problem again.
	reported, next int64
	// what says why it failed the last time that there was a problem.
	what string
}

// problem is what to log of the failures.
func (f *textErrors) problem(message string, more ...any) Problem {
	return Problem{message, slices.Concat(f.about, []any{"failures", f.count, "error", f.what}, more)}
}

// failed notes that a text failed on a span. To keep the log short, it is a problem at the first, the tenth, the hundredth failure and so
// on, and at the end.
func (e *Evaluator) failed(v *Evaluation, f *textErrors, message string, trace pcommon.TraceID, span pcommon.SpanID, err error) {
	v.Failures++
	f.count++
	if e.set.ErrorMode == SilenceErrors || f.count < max(f.next, 1) {
		return
	}
	f.reported, f.next, f.what = f.count, 10*f.count, conditions.Failure(err, e.set.QuoteValues)
	v.Problems = append(v.Problems, f.problem(message, "trace_id", trace, "span_id", span))
}

// failedOnSpan notes that a text of an expectation failed on an anchor.
func (e *Evaluator) failedOnSpan(v *Evaluation, f *textErrors, anchor *conditions.Place, err error) {
	e.failed(v, f, f.subject+" failed on a span, and counts "+f.effect, anchor.Span.TraceID(), anchor.Span.SpanID(), err)
}

// Unreported returns the counts of failures that no problem has had yet. The caller must call it when it stops using the
// rules.
func (e *Evaluator) Unreported() (all []Problem) {
	if e.rules == nil || e.set.ErrorMode == SilenceErrors {
		return nil
	}
	for i := range e.rules.uses {
		for _, f := range []*textErrors{&e.rules.uses[i].when, &e.rules.uses[i].key} {
			if f.count > f.reported {
				f.reported = f.count
				all = append(all, f.problem(f.subject+" failed on spans, and counted "+f.effect+" there"))
			}
		}
	}
	return all
}

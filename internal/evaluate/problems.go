package evaluate

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// A Problem is something to log. It has no value of a span or a call, unless [Settings.QuoteValues] says so.
type Problem struct {
	Message string
	Details []any // keys and values for the log, in turns
}

// conditionErrors is how often a text of OTTL in an expectation failed: its condition, the key of its dataset, or the condition of a tool.
type conditionErrors struct {
	expectation, text string
	// key is the log's name for the text, subject says what failed, and effect what that means.
	key, subject, effect string
	count                int64
	// reported is the count that a problem has had, and next the one at which there is a problem again.
	reported, next int64
	// what says why it failed the last time that there was a problem.
	what string
}

// count adds a failure. To keep the log short, it is a problem at the first, the tenth, the hundredth failure and so on, and at the end.
func (e *Evaluator) count(v *Evaluation, f *conditionErrors, err error) (problem bool) {
	v.Failures++
	f.count++
	if e.set.ErrorMode == SilenceErrors || f.count < max(f.next, 1) {
		return false
	}
	f.reported, f.next, f.what = f.count, 10*f.count, conditions.Failure(err, e.set.QuoteValues)
	return true
}

// failed notes that a text of an expectation failed on an anchor with err.
func (e *Evaluator) failed(v *Evaluation, f *conditionErrors, anchor *conditions.Place, err error) {
	if e.count(v, f, err) {
		v.Problems = append(v.Problems, Problem{f.subject + " failed on a span, and counts " + f.effect, []any{
			"expectation", f.expectation, f.key, f.text, "failures", f.count, "error", f.what,
			"trace_id", anchor.Span.TraceID(), "span_id", anchor.Span.SpanID(),
		}})
	}
}

// Unreported returns the counts of failures that no problem has had yet. The caller must call it when it stops using the
// rules.
func (e *Evaluator) Unreported() (all []Problem) {
	if e.rules == nil || e.set.ErrorMode == SilenceErrors {
		return nil
	}
	for _, failures := range [...][]conditionErrors{e.rules.failures, e.rules.keyFailures} {
		for i := range failures {
			if f := &failures[i]; f.count > f.reported {
				f.reported = f.count
				all = append(all, Problem{f.subject + " failed on spans, and counted " + f.effect + " there", []any{
					"expectation", f.expectation, f.key, f.text, "failures", f.count, "error", f.what,
				}})
			}
		}
	}
	return all
}

package evaluate

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// A Problem is something to log. It has no value of a span or a call, unless [Settings.QuoteValues] says so.
type Problem struct {
	Message string
	Details []Detail
}

// A Detail is a part of a problem, with its key in the log.
type Detail struct {
	Key   string
	Value any
}

// conditionErrors is how often the condition of one expectation failed, or the key of its dataset.
type conditionErrors struct {
	count int64
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
func (e *Evaluator) failed(v *Evaluation, f *conditionErrors, t ottlText, anchor *conditions.Place, err error) {
	if e.count(v, f, err) {
		v.Problems = append(v.Problems, Problem{t.subject + " failed on a span, and counts " + t.effect, []Detail{
			{"expectation", t.expectation}, {t.key, t.text}, {"failures", f.count},
			{"error", f.what}, {"types", conditions.TypesRead(t.text, *anchor)},
			{"trace_id", anchor.Span.TraceID()}, {"span_id", anchor.Span.SpanID()},
		}})
	}
}

// Unreported returns the counts of failures that no problem has had yet. The caller must call it when it stops using the
// rules.
func (e *Evaluator) Unreported() (all []Problem) {
	if e.rules == nil || e.set.ErrorMode == SilenceErrors {
		return nil
	}
	for i := range e.rules.failures {
		x := &e.rules.Expectations[i]
		all = e.rules.failures[i].unreported(all, x.condition())
		if x.Cases != nil {
			all = e.rules.keyFailures[i].unreported(all, x.caseKey())
		}
	}
	return all
}

func (f *conditionErrors) unreported(all []Problem, t ottlText) []Problem {
	if f.count == f.reported {
		return all
	}
	f.reported = f.count
	return append(all, Problem{t.subject + " failed on spans, and counted " + t.effect + " there", []Detail{
		{"expectation", t.expectation}, {t.key, t.text}, {"failures", f.count}, {"error", f.what},
	}})
}

// An ottlText is a text of OTTL in an expectation that may fail on an anchor: the condition, or the key of its dataset.
type ottlText struct {
	expectation, text string
	// key is the log's name for the text: "when" or "dataset.key". subject says what failed, and effect what that means.
	key, subject, effect string
}

// condition is the condition of the expectation.
func (x *Expectation) condition() ottlText {
	return ottlText{x.Name, x.Text, "when", "the condition of an expectation", "as false"}
}

// caseKey is the key of the expectation's dataset.
func (x *Expectation) caseKey() ottlText {
	return ottlText{x.Name, x.Cases.Text, "dataset.key", "the key of a dataset", "as none"}
}

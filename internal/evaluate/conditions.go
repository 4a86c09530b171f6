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

// neverHeld is the number of calls after which a condition that held on none of them is a problem.
const neverHeld = 1000

// A conditionUse is how the condition of an expected tool was used, and whether it ever held. Forbidden calls should not happen, so it is
// no problem if their conditions hold on none.
type conditionUse struct {
	expectation           string
	forbidden, held, said bool
	evaluated             int
	failures              textErrors
}

// bindConditions gives the expectations of a run the values that their conditions read.
func (e *Evaluator) bindConditions(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	for i := range v.matches {
		if m := &v.matches[i]; m.fault == "" && m.expected.HasConditions() {
			if v.where.Observe == nil {
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
	v.where.Observe = func(c *conditions.CallCondition, call int, result scoring.ConditionResult, err error) {
		u := e.use(v.judged, c)
		u.evaluated++
		u.held = u.held || result == scoring.ConditionMet
		if u.evaluated >= neverHeld && !u.held && !u.said && !u.forbidden {
			u.said = true
			v.Problems = append(v.Problems, Problem{"the condition of an expected tool has held on no call", []any{
				"expectation", u.expectation, "where", c.String(), "calls", u.evaluated,
			}})
		}
		if err != nil {
			on := &run.Calls[call]
			u.failures.about = []any{"expectation", u.expectation, "where", c.String()}
			v.failed = fmt.Sprintf("a condition on calls of %s could not be evaluated", scoring.SafeName(on.Name, maxLoggedName))
			e.failed(v, &u.failures, "the condition of an expected tool failed on a call, and the call does not match", on.Trace, on.ID, err)
		}
	}
}

// use returns how a condition of an expectation was used.
func (e *Evaluator) use(m *match, c *conditions.CallCondition) *conditionUse {
	if m.Cases != nil {
		return &m.used.cases
	}
	u, ok := e.rules.callUses[c]
	if !ok {
		u = &conditionUse{expectation: m.Name, forbidden: m.expected.Forbids(c)}
		e.rules.callUses[c] = u
	}
	return u
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
	if e.set.ErrorMode == SilenceErrors || f.count < max(10*f.reported, 1) {
		return
	}
	f.reported, f.what = f.count, conditions.Failure(err, e.set.QuoteValues)
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

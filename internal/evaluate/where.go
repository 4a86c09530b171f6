package evaluate

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A callConditions evaluates the conditions of expected tools on the run that is judged.
type callConditions struct {
	run conditions.Run
	// match is the expectation that is judged. failed says on which tool's call one of its conditions failed, or is empty.
	match  *match
	failed string
}

// neverHeld is the number of calls after which a condition that held on none of them is a problem.
const neverHeld = 1000

// A conditionUse is how the condition of an expected tool was used.
type conditionUse struct {
	expectation string
	forbidden   bool
	held, said  bool
	evaluated   int
	failures    conditionErrors
}

// bindConditions gives the expectations of a run the values that their conditions read.
func (e *Evaluator) bindConditions(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	for i := range v.matches {
		if m := &v.matches[i]; m.fault == "" && m.expected.HasConditions() {
			if v.where.run.Observe == nil {
				e.bindRun(ctx, v, anchor)
			}
			m.expected = m.expected.With(&v.where.run)
		}
	}
}

func (e *Evaluator) bindRun(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	w, run := &v.where, &v.Report.Run
	w.run = conditions.Run{Context: ctx, Calls: v.calls, Anchor: anchor, Quote: e.set.QuoteValues}
	w.run.Duration = func(i int) (time.Duration, bool) {
		c := &run.Calls[i]
		return time.Duration(c.End - c.Start), c.Source != runs.FromModel && c.Start != 0 && c.End >= c.Start //nolint:gosec // only spans have a duration
	}
	w.run.Observe = func(c *conditions.CallCondition, call int, result scoring.ConditionResult, err error) {
		e.observeCondition(v, c, result)
		if err != nil {
			e.conditionFailed(v, c, call, err)
		}
	}
}

// use returns how a condition of the current expectation was used.
func (e *Evaluator) use(w *callConditions, c *conditions.CallCondition) *conditionUse {
	if w.match.Cases != nil { // its conditions are compiled for each run, so those of all cases count together
		u := e.rules.caseUses[w.match.Expectation]
		if u == nil {
			u = &conditionUse{expectation: w.match.Name, said: true} // the case of a dataset may never occur
			e.rules.caseUses[w.match.Expectation] = u
		}
		return u
	}
	u, ok := e.rules.uses[c]
	if !ok {
		u = &conditionUse{expectation: w.match.Name, forbidden: w.match.expected.Forbids(c)}
		e.rules.uses[c] = u
	}
	return u
}

// observeCondition records whether a condition ever holds. Forbidden calls should not happen, so only conditions of expected
// tools count.
func (e *Evaluator) observeCondition(v *Evaluation, c *conditions.CallCondition, result scoring.ConditionResult) {
	u := e.use(&v.where, c)
	u.evaluated++
	u.held = u.held || result == scoring.ConditionMet
	if u.evaluated < neverHeld || u.held || u.said || u.forbidden {
		return
	}
	u.said = true
	v.Problems = append(v.Problems, Problem{"the condition of an expected tool has held on no call", []any{
		"expectation", u.expectation, "where", c.String(), "calls", u.evaluated,
	}})
}

// conditionFailed notes that a condition failed on a call.
func (e *Evaluator) conditionFailed(v *Evaluation, c *conditions.CallCondition, call int, err error) {
	on := &v.Report.Run.Calls[call]
	v.where.failed = fmt.Sprintf("a condition on calls of %s could not be evaluated", scoring.SafeName(on.Name, maxLoggedName))
	if u := e.use(&v.where, c); e.count(v, &u.failures, err) {
		v.Problems = append(v.Problems, Problem{"the condition of an expected tool failed on a call, and the call does not match", []any{
			"expectation", u.expectation, "where", c.String(), "failures", u.failures.count, "error", u.failures.what,
			"trace_id", on.Trace, "span_id", on.ID,
		}})
	}
}

// maxLoggedName is how much of a tool's name is shown.
const maxLoggedName = 64

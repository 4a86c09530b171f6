package evaluate

import (
	"context"
	"fmt"
	"time"

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

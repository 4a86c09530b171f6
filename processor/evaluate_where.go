package processor

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/callcondition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/maskederror"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// ErrorMode says what happens if a condition fails, in the words of other components of the Collector.
type ErrorMode uint8

const (
	IgnoreErrors    ErrorMode = iota // the log says so, and the condition does not hold
	SilenceErrors                    // the condition does not hold
	PropagateErrors                  // as IgnoreErrors, and a run is not scored if the condition of a tool failed on its calls
)

// A callConditions evaluates the conditions of expected tools on the run that is judged.
type callConditions struct {
	run callcondition.Run
	// match is the expectation that is judged, and failed says on which tool's call a condition of it failed, or is empty.
	match  *match
	failed string
}

// neverHeld is after how many calls the log says that a condition has held on none of them.
const neverHeld = 1000

// A conditionUse is how the condition of an expected tool was used. It is guarded by ticking.
type conditionUse struct {
	expectation string
	forbidden   bool
	held, said  bool
	evaluated   int
	failures    conditionErrors
}

// bindConditions gives the expectations that a run meets what their conditions read.
func (p *Processor) bindConditions(ctx context.Context, d *scratch, run *agentrun.Run, anchor *condition.Place) {
	bound := false
	for i := range d.matches.list {
		x := &d.matches.list[i]
		if x.fault != "" || !x.expected.HasConditions() {
			continue
		}
		if !bound {
			p.bindRun(ctx, d, run, anchor)
			bound = true
		}
		x.expected = x.expected.With(&d.where.run)
	}
}

func (p *Processor) bindRun(ctx context.Context, d *scratch, run *agentrun.Run, anchor *condition.Place) {
	w := &d.where
	w.run.Reset()
	w.run.Context, w.run.Calls = ctx, d.calls
	w.run.Duration = func(i int) (time.Duration, bool) {
		c := &run.Calls[i]
		return time.Duration(c.End - c.Start), !c.FromModel() && c.Start != 0 && c.End >= c.Start //nolint:gosec // of spans
	}
	if anchor != nil {
		w.run.HasAnchor = true
		w.run.Attributes, w.run.Resource = anchor.Span.Attributes(), anchor.Resource.Resource().Attributes()
	} else {
		w.run.Attributes, w.run.Resource = pcommon.NewMap(), pcommon.NewMap()
	}
	w.run.Observe = func(c *callcondition.Condition, call int, result scoring.ConditionResult, err error) {
		p.observeCondition(w, c, result)
		if err != nil {
			p.conditionFailed(ctx, d, c, failedCall{run, call, anchor, err})
		}
	}
}

// judge has a metric score the run by an expectation that it meets. A verdict is large, so it is written where it stays.
func (p *Processor) judge(v *scoring.Verdict, m *Metric, x *match, d *scratch) {
	why := x.fault
	if why == "" {
		why = x.unsuited(m)
	}
	if why != "" {
		*v = scoring.Verdict{Status: scoring.NotEvaluable, Threshold: m.Threshold, Why: why}
		return
	}
	d.where.match, d.where.failed = x, ""
	*v = m.Method.Judge(x.expected, d.calls)
	if d.where.failed != "" && p.set.ErrorMode == PropagateErrors {
		*v = scoring.Verdict{Status: scoring.Failed, Threshold: m.Threshold, Why: d.where.failed}
	}
}

// use is how a condition of the expectation in hand was used.
func (p *Processor) use(w *callConditions, c *callcondition.Condition) *conditionUse {
	if w.match.Cases != nil { // its conditions are compiled for each run, so those of all cases count together
		u := p.rules.caseUses[w.match.Expectation]
		if u == nil {
			u = &conditionUse{expectation: w.match.Name, said: true} // a case of many may never come
			p.rules.caseUses[w.match.Expectation] = u
		}
		return u
	}
	u, ok := p.rules.uses[c]
	if !ok {
		u = &conditionUse{expectation: w.match.Name, forbidden: w.match.expected.Forbids(c)}
		p.rules.uses[c] = u
	}
	return u
}

// observeCondition notes whether a condition ever holds. Nobody forbids what happens, so only conditions of expected tools
// count.
func (p *Processor) observeCondition(w *callConditions, c *callcondition.Condition, result scoring.ConditionResult) {
	u := p.use(w, c)
	u.evaluated++
	u.held = u.held || result == scoring.ConditionMet
	if u.evaluated < neverHeld || u.held || u.said || u.forbidden {
		return
	}
	u.said = true
	p.logger.Warn("the condition of an expected tool has held on no call",
		zap.String("expectation", u.expectation), zap.String("where", c.String()), zap.Int("calls", u.evaluated))
}

// A failedCall is a call on which a condition failed.
type failedCall struct {
	run    *agentrun.Run
	call   int
	anchor *condition.Place
	err    error
}

// conditionFailed counts and logs that a condition failed on a call, as often as [Processor.failed] does.
func (p *Processor) conditionFailed(ctx context.Context, d *scratch, c *callcondition.Condition, f failedCall) {
	w := &d.where
	w.failed = fmt.Sprintf("a condition on calls of %s could not be evaluated", scoring.SafeName(d.calls[f.call].Name, maxLoggedName))
	p.telemetry.ProcessorToolCorrectnessConditionErrors.Add(ctx, 1)
	u := p.use(w, c)
	u.failures.count++
	if p.set.ErrorMode == SilenceErrors || u.failures.count < max(u.failures.next, 1) {
		return
	}
	u.failures.logged, u.failures.next = u.failures.count, 10*u.failures.count
	u.failures.what = maskederror.OnCall(c, &d.calls[f.call], f.anchor, f.err)
	p.logger.Warn("the condition of an expected tool failed on a call, and the call does not match",
		zap.String("expectation", u.expectation), zap.String("where", c.String()), zap.Int64("failures", u.failures.count),
		zap.String("error_without_values", u.failures.what),
		zap.Stringer("trace_id", f.run.Calls[f.call].Trace), zap.Stringer("span_id", f.run.Calls[f.call].ID))
}

// maxLoggedName is how much of a tool's name is shown.
const maxLoggedName = 64

package evaluate

import (
	"context"
	"errors"
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// choose finds the expectation of each metric for the run of an anchor: the first one for it whose condition holds. No condition is asked
// twice. Without an anchor it is unknown whether a condition would have held.
func (e *Evaluator) choose(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	m := &v.matches
	m.reset(len(e.set.Metrics))
	wide := anchor != nil && anchor.TooWide()
	var tctx *ottlspan.TransformContext
	if anchor != nil {
		tctx = anchor.Open()
		defer tctx.Close()
	}
	for i, metrics := range e.rules.reached {
		if m.open == 0 {
			break
		}
		if !m.isOpen(metrics) {
			continue
		}
		x := &e.rules.Expectations[i]
		switch {
		case x.When == nil && x.Cases == nil:
			m.add(match{Expectation: x}, metrics)
		case anchor == nil:
			m.end(metrics)
		case wide:
			m.add(match{Expectation: x, fault: tooWide}, metrics)
		default:
			if met, is := e.ask(ctx, v, i, tctx, anchor); is {
				m.add(met, metrics)
			}
		}
	}
}

// ask matches expectation i with the run of an anchor, unless its condition does not hold or its dataset has no case for the run.
func (e *Evaluator) ask(ctx context.Context, v *Evaluation, i int, tctx *ottlspan.TransformContext, anchor *conditions.Place) (match, bool) {
	holds, fault := e.holds(ctx, v, i, tctx, anchor)
	switch {
	case fault != "":
		return match{Expectation: &e.rules.Expectations[i], fault: fault}, true
	case !holds:
		return match{}, false
	}
	return e.match(ctx, v, i, tctx, anchor)
}

// tooWide is why the first expectation with a condition cannot be judged on a wide span.
var tooWide = fmt.Sprintf("its span, scope or resource has more than %d attributes, the most that a condition reads", conditions.MaxAttributes)

// holds evaluates the condition of an expectation. One that fails counts as false. If the condition would read too much, fault says
// so.
func (e *Evaluator) holds(ctx context.Context, v *Evaluation, i int, tctx *ottlspan.TransformContext, anchor *conditions.Place) (holds bool, fault string) {
	x := &e.rules.Expectations[i]
	if x.When == nil {
		return true, ""
	}
	holds, err := x.When.Eval(ctx, tctx)
	switch {
	case errors.Is(err, conditions.ErrTooLarge):
		return false, "the condition of the expectation cannot be evaluated: " + err.Error()
	case err != nil:
		e.failed(v, &e.rules.failures[i], x.condition(), anchor, err)
		return false, ""
	}
	return holds, ""
}

// nameAgent puts the agent's name under one attribute for conditions, whatever dialect recorded it. The span keeps the
// attribute only if the run is judged, or if an earlier processor wrote it. named says that this one did.
func (e *Evaluator) nameAgent(run *runs.Run, anchor *conditions.Place) (named bool) {
	if !e.rules.readsSpans || anchor == nil || run.Anchors[0].Agent == "" {
		return false
	}
	m := anchor.Span.Attributes()
	if _, there := m.Get(attributes.Agent); there && e.run.Agent != attributes.Agent {
		return false // the first processor of the pipeline wrote it
	}
	m.PutStr(attributes.Agent, run.Anchors[0].Agent)
	return true
}

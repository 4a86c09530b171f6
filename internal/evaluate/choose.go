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

// choose finds the expectation of each metric for the run of an anchor. No condition is asked twice.
func (e *Evaluator) choose(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	m := &v.matches
	c := &e.rules.plan
	all := e.rules.Expectations
	m.reset(c, len(e.set.Metrics), all)
	if m.open == 0 || anchor == nil {
		return // without an anchor it is unknown whether a condition would have held
	}
	if anchor.TooWide() {
		for i := range all {
			if asking := c.asks[i]; m.isOpen(asking) {
				m.add(match{Expectation: &all[i], fault: tooWide}, asking)
			}
		}
		return
	}
	tctx := anchor.Open()
	defer tctx.Close()
	for i, asking := range c.asks {
		if m.open == 0 {
			break
		}
		if !m.isOpen(asking) {
			continue
		}
		holds, fault := e.holds(ctx, v, i, tctx, anchor)
		if fault != "" {
			m.add(match{Expectation: &all[i], fault: fault}, asking)
			continue
		}
		if !holds {
			continue
		}
		if x, is := e.match(ctx, v, i, tctx, anchor); is {
			m.add(x, asking)
		}
	}
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
	if !e.rules.plan.readsSpans || anchor == nil || run.Anchors[0].Agent == "" {
		return false
	}
	m := anchor.Span.Attributes()
	if _, there := m.Get(attributes.Agent); there && e.run.Agent != attributes.Agent {
		return false // the first processor of the pipeline wrote it
	}
	m.PutStr(attributes.Agent, run.Anchors[0].Agent)
	return true
}

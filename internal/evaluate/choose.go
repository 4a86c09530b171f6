package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A match is an expectation on one run.
type match struct {
	*Expectation
	used *expectationUse
	// expected is what the run is measured against. If it cannot be read, it is nil and fault says why.
	expected *scoring.Expectation
	fault    string
	// key is that of the case of a dataset; empty if there is none.
	key string
}

// unmet is what a metric has that meets no expectation.
var unmet = new(match)

// choose finds the expectation of each metric for the run of an anchor: the first one for it whose condition holds. No condition is asked
// twice. Without an anchor it is unknown whether a condition would have held.
func (e *Evaluator) choose(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	open := len(e.set.Metrics)
	v.matches = slices.Grow(v.matches[:0], open) // each metric meets one, so v.met may point to them
	v.met = slices.Grow(v.met[:0], open)[:open]
	clear(v.met)
	var tctx *ottlspan.TransformContext
	wide := anchor != nil && anchor.TooWide()
	if anchor != nil {
		tctx = anchor.Open()
		defer tctx.Close()
	}
	for i := 0; i < len(e.rules.Expectations) && open > 0; i++ {
		used := &e.rules.uses[i]
		if !slices.ContainsFunc(used.metrics, func(m int) bool { return v.met[m] == nil }) {
			continue
		}
		m := match{Expectation: &e.rules.Expectations[i], used: used}
		met := unmet
		asks := m.When != nil || m.Cases != nil
		switch {
		case asks && wide:
			m.fault = tooWide
		case asks && anchor != nil && !e.ask(ctx, v, &m, tctx, anchor):
			continue
		}
		if !asks || anchor != nil {
			v.matches = append(v.matches, m)
			met = &v.matches[len(v.matches)-1]
		}
		for _, m := range used.metrics {
			if v.met[m] == nil {
				v.met[m] = met
				open--
			}
		}
	}
}

// ask reports whether the run of an anchor meets an expectation. It does not if the condition does not hold or fails, or the dataset has
// no case for the run.
func (e *Evaluator) ask(ctx context.Context, v *Evaluation, m *match, tctx *ottlspan.TransformContext, anchor *conditions.Place) bool {
	if m.When != nil {
		holds, err := m.When.Eval(ctx, tctx)
		switch {
		case errors.Is(err, conditions.ErrTooLarge):
			m.fault = "the condition of the expectation cannot be evaluated: " + err.Error()
			return true
		case err != nil:
			e.failedOnSpan(v, &m.used.when, anchor, err)
			return false
		case !holds:
			return false
		}
	}
	return m.Cases == nil || e.findCase(ctx, v, m, tctx, anchor) || m.Cases.Report
}

// tooWide is why the first expectation with a condition cannot be judged on a wide span.
var tooWide = fmt.Sprintf("its span, scope or resource has more than %d attributes, the most that a condition reads", conditions.MaxAttributes)

// nameAgent puts the agent's name under one attribute for conditions, whatever dialect recorded it, and reports whether it did.
func (e *Evaluator) nameAgent(run *runs.Run, anchor *conditions.Place) (named bool) {
	if !e.rules.readsSpans || anchor == nil || run.Anchors[0].Agent == "" {
		return false
	}
	m := anchor.Span.Attributes()
	if _, there := m.Get(attributes.Agent); there && e.set.Prefix != attributes.DefaultMetric {
		return false // the first processor of the pipeline wrote it
	}
	m.PutStr(attributes.Agent, run.Anchors[0].Agent)
	return true
}

package processor

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
)

// conditionIndex finds, for each metric, the first expectation that is for it and whose condition holds. It spares asking the
// conditions that surely do not hold on a span, and those that could be the first for no metric.
type conditionIndex struct {
	index   condition.Index
	classes metricClasses
}

func newConditionIndex(metrics []Metric, all []Expectation) conditionIndex {
	c := conditionIndex{classes: newMetricClasses(metrics, all)}
	required := make([][]condition.Equality, len(all))
	for i := range all {
		required[i] = all[i].Required
	}
	c.index = condition.NewIndex(required, func(i int) bool { return len(c.classes.asks[i]) > 0 })
	return c
}

// choose finds the expectation of each class of metrics for the run of an anchor. No condition is asked twice.
func (p *Processor) choose(ctx context.Context, anchor *condition.Place, m *matches) {
	c := &p.rules.conditions
	all := p.rules.Expectations
	m.reset(&c.classes, all)
	if m.open == 0 || anchor == nil {
		return // without an anchor nobody can tell whether a condition would have held
	}
	var few [8][]int // more paths than these are allocated
	lists := c.index.Candidates(few[:0], *anchor)
	tctx := ottlcontext.New(anchor.Resource, anchor.Scope, anchor.Span)
	defer tctx.Close()
	for i, ok := condition.Next(lists); ok && m.open > 0; i, ok = condition.Next(lists) {
		asking := c.classes.asks[i]
		if !m.isOpen(asking) || all[i].When != nil && !p.holds(ctx, i, tctx, anchor) {
			continue
		}
		if x, is := p.match(ctx, i, tctx, anchor); is {
			m.add(x, asking)
		}
	}
}

// holds asks the condition of an expectation. One that fails counts as false.
func (p *Processor) holds(ctx context.Context, i int, tctx *ottlspan.TransformContext, anchor *condition.Place) bool {
	holds, err := p.rules.Expectations[i].When.Eval(ctx, tctx)
	if err != nil {
		p.failed(ctx, &p.rules.failures[i], p.rules.Expectations[i].condition(), anchor, err)
		return false
	}
	return holds
}

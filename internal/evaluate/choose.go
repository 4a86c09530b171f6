package evaluate

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlattributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// choose finds the expectation of each class of metrics for the run of an anchor. No condition is asked twice.
func (e *Evaluator) choose(ctx context.Context, v *Evaluation, anchor *condition.Place) {
	m := &v.matches
	c := &e.rules.conditions
	all := e.rules.Expectations
	m.reset(&c.classes, all)
	if m.open == 0 || anchor == nil {
		return // without an anchor it is unknown whether a condition would have held
	}
	var few [8][]int // more paths than these are allocated
	lists := c.index.Candidates(few[:0], *anchor, lookup(ctx))
	tctx := ottlcontext.New(anchor.Resource, anchor.Scope, anchor.Span)
	defer tctx.Close()
	for i, ok := condition.Next(lists); ok && m.open > 0; i, ok = condition.Next(lists) {
		asking := c.classes.asks[i]
		if !m.isOpen(asking) || all[i].When != nil && !e.holds(ctx, v, i, tctx, anchor) {
			continue
		}
		if x, is := e.match(ctx, v, i, tctx, anchor); is {
			m.add(x, asking)
		}
	}
}

// lookup finds the attributes of a run.
func lookup(ctx context.Context) condition.Lookup {
	return func(o condition.Origin, m pcommon.Map, key string) (pcommon.Value, bool) {
		if o == condition.SpanAttribute {
			return ottlattributes.OfSpan(ctx, m, key)
		}
		return ottlattributes.OfOrigin(ctx, m, key)
	}
}

// holds evaluates the condition of an expectation. One that fails counts as false.
func (e *Evaluator) holds(ctx context.Context, v *Evaluation, i int, tctx *ottlspan.TransformContext, anchor *condition.Place) bool {
	holds, err := e.rules.Expectations[i].When.Eval(ctx, tctx)
	if err != nil {
		e.failed(v, &e.rules.failures[i], e.rules.Expectations[i].condition(), anchor, err)
		return false
	}
	return holds
}

// nameAgent puts the agent's name under one attribute for conditions, whatever dialect recorded it. The span keeps the
// attribute only if the run is judged.
func (e *Evaluator) nameAgent(run *runs.Run, anchor *condition.Place) {
	if e.rules.conditions.readsSpans && anchor != nil && run.Anchors[0].Agent != "" {
		anchor.Span.Attributes().PutStr(attributes.Agent, run.Anchors[0].Agent)
	}
}

package evaluate

import (
	"context"
	"fmt"
	"strconv"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// match matches expectation i with the run of an anchor. The second result is false if the dataset has no case for the run,
// so that the next expectation gets its turn.
func (e *Evaluator) match(ctx context.Context, v *Evaluation, i int, tctx *ottlspan.TransformContext, anchor *conditions.Place) (match, bool) {
	x := &e.rules.Expectations[i]
	m := match{Expectation: x}
	if x.Cases == nil {
		return m, true
	}
	key, fault := e.keyOf(ctx, v, i, tctx, anchor)
	if fault == "" {
		expected, found, err := x.Cases.Find(key)
		switch {
		case err != nil:
			fault = "the case of the run cannot be used: " + err.Error()
		case found:
			m.expected, m.key = expected, key
			return m, true
		default:
			fault = "the dataset has no case with the run's key, which is " + x.Cases.Text
			if e.set.QuoteValues {
				fault += fmt.Sprintf(" = %q", ShownName(key))
			}
		}
	}
	m.fault = fault
	return m, x.Cases.Report
}

// keyOf returns the key of a run for expectation i, or says why it has none.
func (e *Evaluator) keyOf(ctx context.Context, v *Evaluation, i int, tctx *ottlspan.TransformContext, anchor *conditions.Place) (key, fault string) {
	x := &e.rules.Expectations[i]
	c := x.Cases
	value, err := c.Key.Eval(ctx, tctx)
	if err != nil {
		e.failed(v, &e.rules.keyFailures[i], x.caseKey(), anchor, err)
		return "", "the run's key cannot be evaluated, which is " + c.Text
	}
	switch k := value.(type) {
	case string:
		return k, ""
	case int64:
		return strconv.FormatInt(k, 10), ""
	case float64:
		return strconv.FormatFloat(k, 'f', -1, 64), ""
	case bool:
		return strconv.FormatBool(k), ""
	case nil:
		return "", "the span has no key, which is " + c.Text
	}
	return "", "the run's key is neither a text nor a number, which is " + c.Text
}

package evaluate

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"

// conditionIndex finds, for each metric, the first expectation for it whose condition holds. It skips conditions that cannot
// hold on a span, and those whose expectation can be the first for no metric.
type conditionIndex struct {
	index   conditions.Index
	classes metricClasses
	// readsSpans says that an expectation reads attributes of the run's span, so that the agent's name must be among them.
	readsSpans bool
}

func newConditionIndex(metrics []Metric, all []Expectation) conditionIndex {
	c := conditionIndex{classes: newMetricClasses(metrics, all)}
	required := make([][]conditions.Equality, len(all))
	for i := range all {
		required[i] = all[i].Required
		c.readsSpans = c.readsSpans || all[i].readsSpan()
	}
	c.index = conditions.NewIndex(required, func(i int) bool { return len(c.classes.asks[i]) > 0 })
	return c
}

package evaluate

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A plan says which conditions to evaluate, so that each metric finds the first expectation for it whose condition holds. It leaves out
// those whose expectation can be the first for no metric.
type plan struct {
	// asks has, for each expectation, the metrics for which it may be the first; sure has those that meet it on every run, because no
	// expectation with a condition is before it.
	asks, sure [][]int
	// metrics is how many metrics may meet an expectation.
	metrics int
	// readsSpans says that an expectation reads attributes of the run's span, so that the agent's name must be among them.
	readsSpans bool
}

// Reached has, for each expectation, the metrics that may meet it, by their index. A metric stops at the first expectation for it
// that it meets on every run with an anchor.
func Reached(metrics []Metric, all []Expectation) [][]int {
	reached, closed := make([][]int, len(all)), make([]bool, len(metrics))
	index := make(map[string]int, len(metrics))
	for i := range metrics {
		index[metrics[i].Name] = i
	}
	for i := range all {
		for j := range all[i].Metrics {
			if m, known := index[all[i].Metrics[j].Name]; known && !closed[m] {
				reached[i] = append(reached[i], m)
				closed[m] = all[i].Always()
			}
		}
	}
	return reached
}

func newPlan(metrics []Metric, all []Expectation) plan {
	c := plan{asks: make([][]int, len(all)), sure: make([][]int, len(all))}
	seen := make([]bool, len(metrics))
	for i, of := range Reached(metrics, all) {
		x := &all[i]
		c.readsSpans = c.readsSpans || x.readsSpan()
		for _, m := range of {
			if !seen[m] && x.When == nil && x.Cases == nil {
				c.sure[i] = append(c.sure[i], m)
			} else {
				c.asks[i] = append(c.asks[i], m)
			}
			if !seen[m] {
				c.metrics++
			}
			seen[m] = true
		}
	}
	return c
}

// matches are the expectations that the metrics meet on one run.
type matches struct {
	list []match // no expectation is in it twice
	// of has, for each metric, the index of its match in list, or none; open counts the metrics that may still meet one.
	of   []int
	open int
	// stated has what the attributes of the run's anchor say, by their names. It is empty if the run has one match.
	stated map[string]stated
}

// A match is an expectation on one run.
type match struct {
	*Expectation
	// expected is what the run is measured against. If it cannot be read, it is nil and fault says why.
	expected *scoring.Expectation
	fault    string
	// key is that of the case of a dataset; empty if there is none.
	key string
}

// reset leaves only the expectations that are met on every run.
func (m *matches) reset(c *plan, metrics int, all []Expectation) {
	m.list, m.of, m.open = m.list[:0], m.of[:0], c.metrics
	clear(m.stated)
	for range metrics {
		m.of = append(m.of, none)
	}
	for i, sure := range c.sure {
		if len(sure) > 0 {
			m.add(match{Expectation: &all[i]}, sure)
		}
	}
}

// isOpen reports whether one of some metrics has no match yet.
func (m *matches) isOpen(metrics []int) bool {
	return slices.ContainsFunc(metrics, func(metric int) bool { return m.of[metric] == none })
}

// add gives x to those of some metrics that have no match yet.
func (m *matches) add(x match, metrics []int) {
	at := slices.IndexFunc(m.list, func(have match) bool { return have.Expectation == x.Expectation })
	if at < 0 {
		at = len(m.list)
		m.list = append(m.list, x)
	}
	for _, metric := range metrics {
		if m.of[metric] == none {
			m.of[metric] = at
			m.open--
		}
	}
}

// none is no match.
const none = -1

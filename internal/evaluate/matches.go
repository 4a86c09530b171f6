package evaluate

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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

// matches are the expectations that the metrics meet on one run.
type matches struct {
	list []match // no expectation is in it twice
	// of has, for each metric, the index of its match in list, or open or none; open counts the metrics that may still meet one.
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

func (m *matches) reset(metrics int) {
	m.list, m.of, m.open = m.list[:0], m.of[:0], metrics
	clear(m.stated)
	for range metrics {
		m.of = append(m.of, open)
	}
}

// isOpen reports whether one of some metrics has no match yet.
func (m *matches) isOpen(metrics []int) bool {
	return slices.ContainsFunc(metrics, func(metric int) bool { return m.of[metric] == open })
}

// add gives x to those of some metrics that have no match yet.
func (m *matches) add(x match, metrics []int) {
	at := slices.IndexFunc(m.list, func(have match) bool { return have.Expectation == x.Expectation })
	if at < 0 {
		at = len(m.list)
		m.list = append(m.list, x)
	}
	m.set(metrics, at)
}

// end leaves those of some metrics without a match that have none yet.
func (m *matches) end(metrics []int) { m.set(metrics, none) }

func (m *matches) set(metrics []int, at int) {
	for _, metric := range metrics {
		if m.of[metric] == open {
			m.of[metric] = at
			m.open--
		}
	}
}

// What a metric has in place of a match: it may still get one, or has none.
const (
	open = -1
	none = -2
)

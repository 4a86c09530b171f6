package evaluate

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// metricClasses sorts metrics by the expectations that they may meet. All metrics of a class meet the same expectation on
// every run. If every expectation is for every metric, there is one class.
type metricClasses struct {
	// of has the class of each metric, or none.
	of []int
	// asks has, for each expectation, the classes for which it may be the first. A class whose earlier expectation has no
	// condition is not among them.
	asks [][]int
	// known has the expectations that a class meets on every run, because no expectation with a condition is before them.
	// For each class, start has its index in known, or none.
	known, start []int
	// metrics is how many metrics have a class.
	metrics int
}

// newMetricClasses sorts metrics. An expectation is for those that it has.
func newMetricClasses(metrics []Metric, all []Expectation) metricClasses {
	c := metricClasses{asks: make([][]int, len(all))}
	index := make(map[string]int, len(metrics))
	for i := range metrics {
		index[metrics[i].Name] = i
	}
	// For each metric, bits has a bit for every expectation that it may meet. The first one without a condition is the last.
	bits := make([][]byte, len(metrics))
	closed := make([]bool, len(metrics))
	for i := range all {
		for j := range all[i].Metrics {
			m, ok := index[all[i].Metrics[j].Name]
			if !ok || closed[m] {
				continue
			}
			if bits[m] == nil {
				bits[m] = make([]byte, (len(all)+7)/8)
			}
			bits[m][i/8] |= 1 << (i % 8)
			closed[m] = all[i].Always()
		}
	}
	byBits := map[string]int{}
	for _, b := range bits {
		class, ok := byBits[string(b)]
		switch {
		case b == nil:
			class = none
		case !ok:
			class = len(c.start)
			byBits[string(b)] = class
			c.add(b, all)
		}
		if class != none {
			c.metrics++
		}
		c.of = append(c.of, class)
	}
	return c
}

// add makes the class of the metrics that may meet the expectations with a bit.
func (c *metricClasses) add(bits []byte, all []Expectation) {
	class := len(c.start)
	c.start = append(c.start, none)
	first := true
	for i := range all {
		switch {
		case bits[i/8]&(1<<(i%8)) == 0:
			continue
		case first && all[i].When == nil && all[i].Cases == nil:
			c.start[class] = c.matchAlways(i)
		default:
			c.asks[i] = append(c.asks[i], class)
		}
		first = false
	}
}

// matchAlways returns the place of expectation i in known.
func (c *metricClasses) matchAlways(i int) int {
	for at, have := range c.known {
		if have == i {
			return at
		}
	}
	c.known = append(c.known, i)
	return len(c.known) - 1
}

// matches are the expectations that the metrics meet on one run.
type matches struct {
	list []match // no expectation is in it twice
	// of has, for each class, the index of its match in list, or none; open counts the classes with none.
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
func (m *matches) reset(c *metricClasses, all []Expectation) {
	m.list, m.of, m.open = m.list[:0], append(m.of[:0], c.start...), 0
	clear(m.stated)
	for _, i := range c.known {
		m.list = append(m.list, match{Expectation: &all[i]})
	}
	for _, at := range c.start {
		if at == none {
			m.open++
		}
	}
}

// isOpen reports whether one of some classes has no match yet.
func (m *matches) isOpen(classes []int) bool {
	for _, class := range classes {
		if m.of[class] == none {
			return true
		}
	}
	return false
}

// add gives x to those of some classes that have no match yet.
func (m *matches) add(x match, classes []int) {
	at := 0
	for at < len(m.list) && m.list[at].Expectation != x.Expectation {
		at++
	}
	if at == len(m.list) {
		m.list = append(m.list, x)
	}
	for _, class := range classes {
		if m.of[class] == none {
			m.of[class] = at
			m.open--
		}
	}
}

// at returns the match of a metric by its class, or none.
func (m *matches) at(class int) int {
	if class == none {
		return none
	}
	return m.of[class]
}

// none means no class, or no expectation.
const none = -1

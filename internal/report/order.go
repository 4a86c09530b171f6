package report

import "cmp"

// An Order compares the rows of two runs. It is negative if a comes first.
type Order func(a, b []Row) int

// AsRead is the order of the input: traces as they came, and the runs of a trace as they began.
func AsRead(a, b []Row) int { return place(&a[0], &b[0]) }

// Worst puts runs first that did not pass, and of those with the same outcome the runs with lower scores.
func (g Gate) Worst(a, b []Row) int {
	return cmp.Or(cmp.Compare(g.outcome(b), g.outcome(a)), cmp.Compare(least(a), least(b)), AsRead(a, b))
}

// Slowest puts runs first that took longer.
func Slowest(a, b []Row) int {
	return cmp.Or(cmp.Compare(took(&b[0]), took(&a[0])), AsRead(a, b))
}

// least is the lowest score of a run. A run without a score has 1, the best one.
func least(run []Row) float64 {
	score := 1.0
	for i := range run {
		if run[i].Score != nil {
			score = min(score, *run[i].Score)
		}
	}
	return score
}

// took is how long a run took, in nanoseconds.
func took(r *Row) uint64 {
	if r.End < r.Start {
		return 0
	}
	return r.End - r.Start
}

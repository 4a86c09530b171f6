package report

import (
	"cmp"
	"fmt"
)

// A tally counts the runs of one expectation.
type tally struct {
	name string
	Summary
	scores int
	sum    float64 // of all scores
}

// noExpectationName names the runs that no expectation is for.
const noExpectationName = "(no expectation)"

// tallies counts the runs of each expectation, in the order in which rows name them. A run counts for each expectation that a
// metric met.
func (g Gate) tallies(rows Rows) ([]*tally, error) {
	var all []*tally
	of := map[string]*tally{}
	err := rows.Each(func(run []Row) error {
		for name, part := range byExpectation(run) {
			t := of[name]
			if t == nil {
				t = &tally{name: name}
				of[name] = t
				all = append(all, t)
			}
			g.add(&t.Summary, part)
			for i := range part {
				if part[i].Score != nil {
					t.scores++
					t.sum += *part[i].Score
				}
			}
		}
		return nil
	})
	return all, err
}

// byExpectation yields the rows of a run that have one expectation, for each expectation in the order of the rows.
func byExpectation(run []Row) func(yield func(string, []Row) bool) {
	return func(yield func(string, []Row) bool) {
		var order []string
		of := map[string][]Row{}
		for i := range run {
			name := expectationName(&run[i])
			if of[name] == nil {
				order = append(order, name)
			}
			of[name] = append(of[name], run[i])
		}
		for _, name := range order {
			if !yield(name, of[name]) {
				return
			}
		}
	}
}

// expectationName is the name of the row's expectation, as it is shown.
func expectationName(r *Row) string {
	if r.Status == NoExpectation {
		return noExpectationName
	}
	return cmp.Or(escape(r.Expectation), noExpectationName)
}

// mean is the mean of the scores. It is empty if there are none.
func (t *tally) mean() string {
	if t.scores == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", t.sum/float64(t.scores))
}

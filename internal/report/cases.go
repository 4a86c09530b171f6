package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// caseName names what the runs of a case have in common: the case of a dataset or else the expectation, and the agent.
func caseName(r *Row) string {
	if r.Case == "" {
		return expectationName(r) + ", " + cell(r.Agent)
	}
	return escape(r.Case) + ", " + expectationName(r) + ", " + cell(r.Agent)
}

// asked is what a row is measured against: its expectation, and the case of a dataset.
func (r *Row) asked() string {
	if r.Case == "" {
		return r.Expectation
	}
	return r.Expectation + ": " + r.Case
}

// cases are the judged cases, the lowest pass rate first, if the gate asks for them or a case of a dataset ran several times.
func (g Gate) cases(rows []Row) []*tally {
	all := g.tallies(rows, func(r *Row) string {
		if r.Status == NoExpectation {
			return ""
		}
		return caseName(r)
	})
	all = slices.DeleteFunc(all, func(t *tally) bool { return t.Judged() == 0 })
	repeated := slices.ContainsFunc(rows, func(r Row) bool { return r.Case != "" }) &&
		slices.ContainsFunc(all, func(t *tally) bool { return t.Judged() > 1 })
	if !repeated && g.CasePassRate == 0 && g.PassK == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *tally) int {
		return cmp.Or(cmp.Compare(a.Passed*b.Judged(), b.Passed*a.Judged()), strings.Compare(a.name, b.name))
	})
	return all
}

// k is how many runs pass^k and pass@k take of each case: that of the gate, else the fewest runs that a case has.
func (g Gate) k(cases []*tally) int {
	if g.PassK > 0 {
		return g.PassK
	}
	least := math.MaxInt
	for _, t := range cases {
		least = min(least, t.Judged())
	}
	return least
}

// choose is the share of the choices of k out of all things that has only things of a part: C(part, k) / C(all, k).
func choose(part, all, k int) float64 {
	share := 1.0
	for i := range k {
		if part <= i {
			return 0
		}
		share *= float64(part-i) / float64(all-i)
	}
	return share
}

// passAll is pass^k, the unbiased estimate of the probability that k runs of a case all pass, as it is shown.
func (t *tally) passAll(k int) string {
	return t.estimate(choose(t.Passed, t.Judged(), k), k)
}

// passAny is pass@k, the unbiased estimate of the probability that at least one of k runs of a case passes.
func (t *tally) passAny(k int) string {
	return t.estimate(1-choose(t.Judged()-t.Passed, t.Judged(), k), k)
}

// estimate is a probability as it is shown. It is unknown if there are fewer runs than it is of.
func (t *tally) estimate(p float64, k int) string {
	if t.Judged() < k {
		return "-"
	}
	return fmt.Sprintf("%.3f", p)
}

// flaky reports whether some runs of a case passed and others did not.
func (t *tally) flaky() bool { return t.Passed > 0 && t.Passed < t.Judged() }

// maxFlaky is how many flaky cases are listed.
const maxFlaky = 30

// flakyOf lists the cases that are flaky; it is empty if none is.
func flakyOf(cases []*tally) string {
	var names []string
	for _, t := range cases {
		if t.flaky() {
			names = append(names, fmt.Sprintf("%s (%d of %d)", t.name, t.Passed, t.Judged()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return Number(len(names), "flaky case") + ": " + Few(names, maxFlaky, "; ")
}

// CheckCases returns nil if each case is good enough by itself, and otherwise names one that is not.
func (g Gate) CheckCases(rows []Row) error {
	if g.CasePassRate == 0 && g.PassK == 0 {
		return nil
	}
	var bad []string
	for _, t := range g.cases(rows) {
		ok, judged := t.Passed+t.Known, t.Judged()
		said := fmt.Sprintf("%s passed %d of %s", t.name, ok, Number(judged, "run"))
		switch all := choose(ok, judged, g.PassK); {
		case judged < g.PassK:
			bad = append(bad, fmt.Sprintf("%s, fewer than -pass-k %d", said, g.PassK))
		case g.PassK > 0 && all < g.CasePassRate:
			bad = append(bad, fmt.Sprintf("%s: pass^%d is %.3f, less than %v", said, g.PassK, all, g.CasePassRate))
		case g.PassK == 0 && float64(ok)/float64(judged) < g.CasePassRate:
			bad = append(bad, fmt.Sprintf("%s, less than %v", said, g.CasePassRate))
		}
	}
	if bad == nil {
		return nil
	}
	return fmt.Errorf("%s not good enough: %s", Number(len(bad), "case"), bad[0])
}

package report

import (
	"cmp"
	"fmt"
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

// cases are the judged cases, the lowest pass rate first, if the gate asks for them or a case of a dataset ran several times.
func (g Gate) cases(rows []Row) []*tally {
	all := slices.DeleteFunc(g.tallies(rows, caseName), func(t *tally) bool { return t.Judged() == 0 })
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

// byCase has the runs of each case, and estimates without bias of the probabilities that k runs all pass, pass^k, and that at least one
// does, pass@k. k is that of the gate, or else the fewest runs that a case has.
func (g Gate) byCase(cases []*tally) grid {
	k := g.PassK
	if k == 0 && len(cases) > 0 {
		k = slices.MinFunc(cases, func(a, b *tally) int { return cmp.Compare(a.Judged(), b.Judged()) }).Judged()
	}
	all := grid{Titles: []string{"CASE", "RUNS", "PASSED", "FLAKY", fmt.Sprintf("PASS^%d", k), fmt.Sprintf("PASS@%d", k)}}
	for _, t := range cases {
		n, every, some := t.Judged(), any("-"), any("-") // of fewer runs they are unknown
		if n >= k {
			every, some = decimal(choose(t.Passed, n, k)), decimal(1-choose(n-t.Passed, n, k))
		}
		all.Lines = append(all.Lines, []any{t.name, n, t.Passed, map[bool]string{true: "yes", false: "-"}[t.Flaky()], every, some})
	}
	return all
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

// Flaky reports whether some runs of a case passed and others did not.
func (t *tally) Flaky() bool { return t.Passed > 0 && t.Passed < t.Judged() }

// Percent is the share of the judged runs that passed.
func (t *tally) Percent() int { return 100 * t.Passed / t.Judged() }

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

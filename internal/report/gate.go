package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Gate says when runs are good enough.
type Gate struct {
	// FailUnder is a score from 0 to 1. A run fails if one of its scores is lower, even if it reached its threshold.
	FailUnder float64
	// PassRate is the share of the judged runs that must pass, from 0 to 1.
	PassRate float64
	// CasePassRate is the share of the judged runs of each case that must pass. With PassK, it is the least pass^k of each case.
	CasePassRate float64
	// PassK is how many runs each case must have at least, and the k of pass^k and pass@k. 0 asks for none.
	PassK int
	// AllowEmpty says that it is fine if nothing was judged.
	AllowEmpty bool
}

// A Summary counts runs. Every run is counted in exactly one of the other fields.
type Summary struct {
	Runs          int
	Passed        int // every metric says so
	Failed        int // a metric gave a score that is too low
	NotScored     int // a metric gave no score, and none gave a score that is too low
	NoExpectation int // nothing is expected of the run
	// Known did not pass, and did no better in an earlier report. It is 0 if there is none.
	Known int
}

// Summarize counts runs as the gate sees them.
func (g Gate) Summarize(rows []Row) (s Summary) {
	g.Count(&s, rows)
	return s
}

// Count adds runs to others.
func (g Gate) Count(s *Summary, rows []Row) {
	for run := range runs(rows) {
		s.add(g.outcome(run))
	}
}

// An outcome is the result of a run. If metrics disagree, the later one in this list counts.
type outcome int

const (
	noExpectation outcome = iota
	passed
	known // did not pass, and got no worse since an earlier report
	notScored
	failed
)

// String is the outcome as the page shows it.
func (o outcome) String() string {
	return [...]string{noExpectation: "no expectation", passed: "passed", known: "as before", notScored: "not scored", failed: "failed"}[o]
}

// outcome is that of a run.
func (g Gate) outcome(run []Row) outcome {
	worst := noExpectation
	for i := range run {
		worst = max(worst, g.outcomeOf(&run[i]))
	}
	return worst
}

func (g Gate) outcomeOf(r *Row) outcome {
	reached := r.Score != nil && r.Passed && *r.Score >= g.FailUnder
	switch {
	case r.Status == NoExpectation:
		return noExpectation
	case reached:
		return passed
	case r.Change == Same || r.Change == Better:
		return known
	case r.Score == nil:
		return notScored
	}
	return failed
}

func (s *Summary) add(o outcome) {
	s.Runs++
	*[...]*int{noExpectation: &s.NoExpectation, passed: &s.Passed, known: &s.Known, notScored: &s.NotScored, failed: &s.Failed}[o]++
}

// Judged is how many runs an expectation was for.
func (s Summary) Judged() int { return s.Runs - s.NoExpectation }

// Check returns nil if the runs are good enough, and otherwise what is not. If nothing was judged, that is [ErrNothingJudged].
func (g Gate) Check(s Summary) error {
	judged := s.Judged()
	switch {
	case judged == 0 && g.AllowEmpty:
		return nil
	case judged == 0:
		return ErrNothingJudged
	// The quotient of two whole numbers is rounded as the number that the user wrote: 7 of 100 is 0.07 exactly.
	case float64(s.Passed+s.Known)/float64(judged) >= g.PassRate:
		return nil
	case g.PassRate < 1:
		return fmt.Errorf("%d of %s passed, less than the pass rate of %v", s.Passed+s.Known, Number(judged, "judged run"), g.PassRate)
	case s.NotScored == 0:
		return fmt.Errorf("%d of %s failed", s.Failed, Number(judged, "judged run"))
	}
	return fmt.Errorf("%d of %s failed, and %d had no score", s.Failed, Number(judged, "judged run"), s.NotScored)
}

// ErrNothingJudged says that a gate had nothing to judge.
var ErrNothingJudged = errors.New("nothing was judged")

// String is the summary in a line.
func (s Summary) String() string {
	text := fmt.Sprintf("%s: %d passed, %d failed, %d not scored, %d without expectation",
		Number(s.Runs, "run"), s.Passed, s.Failed, s.NotScored, s.NoExpectation)
	if s.Known > 0 {
		text += fmt.Sprintf(", %d did not pass before either", s.Known)
	}
	return text
}

// Number is a number of things in words.
func Number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Few are the first texts of a list, and how many more there are.
func Few(list []string, most int, between string) string {
	if more := len(list) - most; more > 0 {
		list = append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, between)
}

// A tally counts the runs of which a property has one value, such as the name of the expectation.
type tally struct {
	name string
	Summary
	scores int
	sum    float64 // of all scores
}

// mean is the mean of the scores. It is empty if there are none.
func (t *tally) mean() any {
	if t.scores == 0 {
		return "-"
	}
	return decimal(t.sum / float64(t.scores))
}

// tallies counts runs by a property, in the order in which rows have its values. A run whose rows have several values counts
// for each of them.
func (g Gate) tallies(rows []Row, property func(*Row) string) (all []*tally) {
	of := map[string]*tally{}
	for run := range runs(rows) {
		outcomes := map[*tally]outcome{}
		for i := range run {
			r, name := &run[i], property(&run[i])
			t := of[name]
			if t == nil {
				t = &tally{name: name}
				of[name] = t
				all = append(all, t)
			}
			outcomes[t] = max(outcomes[t], g.outcomeOf(r))
			if r.Score != nil {
				t.scores++
				t.sum += *r.Score
			}
		}
		for t, o := range outcomes {
			t.add(o)
		}
	}
	return all
}

// expectationName is the name of the row's expectation, as it is shown.
func expectationName(r *Row) string { return cmp.Or(escape(r.Expectation), "(no expectation)") }

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
	fewest := slices.MinFunc(cases, func(a, b *tally) int { return cmp.Compare(a.Judged(), b.Judged()) })
	k := cmp.Or(g.PassK, fewest.Judged())
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

// A Change says how a verdict compares with the same verdict of an earlier report.
type Change string

// A verdict is worse if it passed before and does not now, or if it did not pass before and has a lower score now. It is better
// the other way round. A verdict that the earlier report does not have is new.
const (
	Worse  Change = "worse"
	Better Change = "better"
	Same   Change = "same"
	New    Change = "new"
)

// againOf is a key of the verdicts that are compared when the agents ran again: those of a case, agent, expectation and metric.
func againOf(r *Row) string {
	return fmt.Sprintf("%q %q %q %q", r.Case, r.Expectation, r.Agent, r.Metric)
}

// idOf is a key that the verdict on one recorded run has in every report. It is empty if the run has no span of its own.
func idOf(r *Row) string {
	if r.SpanID == "" {
		return ""
	}
	return r.TraceID + r.SpanID + r.Metric
}

// ReadJSON reads a report that [JSON] printed, without its calls.
func ReadJSON(in io.Reader) (rows []Row, err error) {
	d := json.NewDecoder(in)
	for run := 0; ; {
		var r Row
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) && rows != nil {
			return rows, nil
		}
		if err != nil || r.Status == "" {
			return nil, fmt.Errorf("number %d is no verdict as -format json prints it", len(rows)+1)
		}
		if last := len(rows) - 1; last < 0 || r.SpanID == "" || rows[last].SpanID != r.SpanID || rows[last].TraceID != r.TraceID {
			run++
		}
		r.Run, r.Change = run, "" // the change is one since a report that is older still
		r.Calls = nil             // they are most of a report, and nothing compares them
		rows = append(rows, r)
	}
}

// passing is below the rank of every verdict that passed, and above that of every other.
const passing = 2

// rank is higher for a better verdict: one that passed, or else one with a higher score. It is -1 without a score.
func (g Gate) rank(r *Row) float64 {
	switch {
	case r.Score == nil:
		return -1
	case g.outcomeOf(r) == passed:
		return passing + *r.Score
	}
	return *r.Score
}

// maxWorse is how many worse verdicts are named.
const maxWorse = 5

// Compare sets the changes of rows since an earlier report, and says what changed, and in further lines what is worse. If at least one run
// has the same span IDs in both, the recordings are the same, and runs are matched by these IDs. Otherwise, the agents ran again, and a run
// is matched with one of the same case, agent and expectation. Several runs of a case are matched from the best to the worst, so their order
// says nothing; without a case, the n-th is matched with the n-th.
func (g Gate) Compare(before, rows []Row) string {
	by, was, is := "trace and span ids", judgedBy(before, idOf), judgedBy(rows, idOf)
	delete(was, "") // without a span of its own a run has no ID
	known := 0
	for id := range is {
		known += len(was[id])
	}
	if known == 0 {
		by, was, is = "case and agent", judgedBy(before, againOf), judgedBy(rows, againOf)
	}
	changed, gone := map[Change]int{}, 0
	for key, now := range is {
		had := was[key]
		if now[0].Case != "" {
			best := func(x, y *Row) int { return cmp.Compare(g.rank(y), g.rank(x)) }
			slices.SortStableFunc(now, best)
			slices.SortStableFunc(had, best)
		}
		for i, r := range now {
			r.Change = New
			if i < len(had) {
				r.Change = changeOf(g.rank(had[i]), g.rank(r))
			}
			changed[r.Change]++
		}
	}
	for key, had := range was {
		gone += max(0, len(had)-len(is[key])) // only the earlier report has them
	}
	text := fmt.Sprintf("compared by %s: %d worse, %d better, %d as before, %d new, %d gone",
		by, changed[Worse], changed[Better], changed[Same], changed[New], gone)
	var worse []string
	for i := range rows {
		if r := &rows[i]; r.Change == Worse {
			worse = append(worse, r.where()+": "+caseName(r)+", "+cell(r.Metric))
		}
	}
	if worse != nil {
		text += "\nworse:\n  " + Few(worse, maxWorse, "\n  ")
	}
	return text
}

// judgedBy are the rows with a verdict by a key.
func judgedBy(rows []Row, key func(*Row) string) map[string][]*Row {
	by := map[string][]*Row{}
	for i := range rows {
		if r := &rows[i]; r.Status != NoExpectation {
			by[key(r)] = append(by[key(r)], r)
		}
	}
	return by
}

// changeOf compares ranks. Of verdicts that passed, none is better than another.
func changeOf(before, now float64) Change {
	return map[int]Change{-1: Worse, 0: Same, 1: Better}[cmp.Compare(min(now, passing), min(before, passing))]
}

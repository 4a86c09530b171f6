package report

import (
	"errors"
	"fmt"
)

// A Gate says when runs are good enough.
type Gate struct {
	// FailUnder is a score from 0 to 1. A run fails if one of its scores is lower, even if it reached its threshold.
	FailUnder float64
	// PassRate is the share of the judged runs that must pass, from 0 to 1.
	PassRate float64
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
func (g Gate) Summarize(rows Rows) (Summary, error) {
	var s Summary
	err := rows.Each(func(run []Row) error {
		g.add(&s, run)
		return nil
	})
	return s, err
}

// add counts one run.
func (g Gate) add(s *Summary, run []Row) {
	s.Runs++
	*s.count(g.outcome(run))++
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

// outcome is that of a run.
func (g Gate) outcome(run []Row) outcome {
	worst := noExpectation
	for i := range run {
		worst = max(worst, g.outcomeOf(&run[i]))
	}
	return worst
}

func (g Gate) outcomeOf(r *Row) outcome {
	switch {
	case r.Status == NoExpectation:
		return noExpectation
	case r.Change == Same && !g.reached(r), r.Change == Better && !g.reached(r):
		return known
	case r.Score == nil:
		return notScored
	case g.reached(r):
		return passed
	}
	return failed
}

// reached reports whether a row has a score that is high enough.
func (g Gate) reached(r *Row) bool { return r.Score != nil && r.Passed && *r.Score >= g.FailUnder }

func (s *Summary) count(o outcome) *int {
	return [...]*int{noExpectation: &s.NoExpectation, passed: &s.Passed, known: &s.Known, notScored: &s.NotScored, failed: &s.Failed}[o]
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
		return fmt.Errorf("%d of %s passed, less than the pass rate of %v", s.Passed+s.Known, number(judged, "judged run"), g.PassRate)
	case s.NotScored == 0:
		return fmt.Errorf("%d of %s failed", s.Failed, number(judged, "judged run"))
	}
	return fmt.Errorf("%d of %s failed, and %d had no score", s.Failed, number(judged, "judged run"), s.NotScored)
}

// ErrNothingJudged says that a gate had nothing to judge.
var ErrNothingJudged = errors.New("nothing was judged")

// String is the summary in a line.
func (s Summary) String() string {
	text := fmt.Sprintf("%s: %d passed, %d failed, %d not scored, %d without expectation",
		number(s.Runs, "run"), s.Passed, s.Failed, s.NotScored, s.NoExpectation)
	if s.Known > 0 {
		text += fmt.Sprintf(", %d did not pass before either", s.Known)
	}
	return text
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

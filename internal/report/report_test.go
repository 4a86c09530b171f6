package report

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func scored(run int, score float64, passed bool) Row {
	return Row{Run: run, Metric: "m", Status: "scored", Score: &score, Passed: passed}
}

// printed is what a format prints.
func printed(t *testing.T, format func(io.Writer, []Row, Options) error, rows []Row, o Options) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, format(&b, rows, o))
	return b.String()
}

func TestGate(t *testing.T) {
	good, fair, bad := scored(1, 1, true), scored(1, 0.6, true), scored(1, 0.2, false)
	unscored, unasked := Row{Run: 1, Metric: "n", Status: "not_evaluable"}, Row{Run: 1, Status: NoExpectation}
	every := Gate{PassRate: 1}
	for _, tc := range []struct {
		claim   string
		gate    Gate
		rows    []Row
		want    Summary
		problem string
		reason  string
	}{
		{"all passed", every, []Row{good}, Summary{Runs: 1, Passed: 1}, "", "the score reached its threshold"},
		{"a metric failed", every, []Row{good, bad}, Summary{Runs: 1, Failed: 1}, "1 of 1 judged run failed", "every metric counts"},
		{"failed outweighs not scored", every, []Row{unscored, bad}, Summary{Runs: 1, Failed: 1}, "1 of 1 judged run failed", "a low score is known, a missing one is not"},
		{"not scored outweighs passed", every, []Row{good, unscored}, Summary{Runs: 1, NotScored: 1}, "0 of 1 judged run failed, and 1 had no score", "whether it is good is not known"},
		{"a higher bar", Gate{PassRate: 1, FailUnder: 0.7}, []Row{fair}, Summary{Runs: 1, Failed: 1}, "1 of 1 judged run failed", "0.6 is under 0.7"},
		{"nothing at all", every, nil, Summary{}, "nothing was judged", "a gate that saw nothing is closed"},
		{"nothing expected", every, []Row{unasked}, Summary{Runs: 1, NoExpectation: 1}, "nothing was judged", "the run was not judged"},
		{"allowed to be empty", Gate{PassRate: 1, AllowEmpty: true}, []Row{unasked}, Summary{Runs: 1, NoExpectation: 1}, "", "the user says so"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			got := tc.gate.Summarize(tc.rows)
			require.Equal(t, tc.want, got, tc.reason)
			problem := ""
			if err := tc.gate.Check(got); err != nil {
				problem = err.Error()
			}
			require.Equal(t, tc.problem, problem, tc.reason)
		})
	}
	require.ErrorIs(t, every.Check(Summary{}), ErrNothingJudged)
}

func TestChanges(t *testing.T) {
	row := func(score float64, passed bool) *Row { r := scored(1, score, passed); return &r }
	good, fair, bad, none := row(1, true), row(0.6, true), row(0.4, false), &Row{Status: "not_evaluable"}
	for _, tc := range []struct {
		before, now *Row
		want        Change
		reason      string
	}{
		{good, good, Same, "it passes as before"},
		{good, fair, Same, "a lower score that passes is good enough"},
		{fair, good, Same, "and a higher one is no news"},
		{good, bad, Worse, "it passed"},
		{good, none, Worse, "it had a score that passed"},
		{bad, good, Better, "it passes now"},
		{none, bad, Better, "it has a score now"},
		{bad, none, Worse, "it has no score any more"},
		{bad, bad, Same, "as bad as before"},
		{none, none, Same, "no score as before"},
	} {
		require.Equal(t, tc.want, changeOf(Gate{}.rank(tc.before), Gate{}.rank(tc.now)), tc.reason)
	}
}

// A run that an earlier report does not judge is not compared, and a run that is not judged any more is gone.
func TestCompareLeavesOutWhatIsNotJudged(t *testing.T) {
	unasked := Row{Run: 2, TraceID: "b", SpanID: "2", Status: NoExpectation}
	judged := scored(1, 1, true)
	judged.TraceID, judged.SpanID = "a", "1"
	gate := Gate{PassRate: 1}
	before, err := ReadJSON(strings.NewReader(printed(t, JSON, []Row{judged, unasked}, Options{})))
	require.NoError(t, err)
	swapped := []Row{{Run: 1, TraceID: "a", SpanID: "1", Status: NoExpectation}, scored(2, 1, true)}
	said := gate.Compare(before, swapped)
	require.Equal(t, "compared by case and agent: 0 worse, 0 better, 1 as before, 0 new, 0 gone", said, "no ids are the same, so the order counts")
	for _, r := range swapped {
		require.Equal(t, r.Status == NoExpectation, r.Change == "")
	}
}

// Of many verdicts that are worse, some are named.
func TestCompareNamesAFew(t *testing.T) {
	var before, now []Row
	for i := range 7 {
		good, bad := scored(i, 1, true), scored(i, 0, false)
		good.Case, bad.Case = fmt.Sprint("case-", i), fmt.Sprint("case-", i)
		before, now = append(before, good), append(now, bad)
	}
	text := Gate{PassRate: 1}.Compare(before, now)
	require.Contains(t, text, ": 7 worse, 0 better, 0 as before, 0 new, 0 gone\nworse:\n")
	require.Contains(t, text, ": case-4, (no expectation), -, m\n  and 2 more")
	require.NotContains(t, text, "case-5")
}

// A share that a user writes with two digits is met by exactly that many of a hundred.
func TestPassRateIsExact(t *testing.T) {
	for percent := range 101 {
		var rate float64
		_, err := fmt.Sscan(fmt.Sprintf("%d.%02d", percent/100, percent%100), &rate)
		require.NoError(t, err)
		g := Gate{PassRate: rate}
		require.NoError(t, g.Check(Summary{Runs: 100, Passed: percent, Failed: 100 - percent}))
		if percent > 0 {
			require.Error(t, g.Check(Summary{Runs: 100, Passed: percent - 1, Failed: 101 - percent}))
		}
	}
}

// A run of thousands of calls does not make a line of thousands of names.
func TestTableNamesAFewCalls(t *testing.T) {
	row := scored(1, 1, true)
	for range 5000 {
		row.Calls = append(row.Calls, Call{Name: "search_orders"})
	}
	b := printed(t, Table, []Row{row}, Options{Gate: Gate{PassRate: 1}})
	require.Contains(t, b, ", and 4980 more")
	require.Less(t, len(b), 4000)
}

package spool

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// runOf has rows with all that a row may have.
func runOf(n int) []report.Row {
	zero, one := 0.0, 1.0
	base := report.Row{
		Run: n, Position: n, TraceID: fmt.Sprintf("%032x", n), SpanID: fmt.Sprintf("%016x", n), Status: report.Scored, Score: &zero,
		Expected: []string{"a"}, Missing: []string{}, Unexpected: []string{}, IncompleteBecause: []string{}, Start: 1, End: 2, Change: report.New,
		Calls: []report.Call{{Name: "a", Arguments: []byte(`{"x":1}`), Start: 3, End: 4}},
		Steps: []report.Step{{Tool: "a", Call: 0, Class: "matched", Credit: 0.5, Paths: []string{"x"}}},
	}
	other := base
	other.Metric, other.Score, other.Calls, other.Steps, other.Expected = "n", &one, []report.Call{}, nil, []string{}
	none := base
	none.Metric, none.Score, none.Status = "o", nil, "not_evaluable"
	return []report.Row{base, other, none}
}

// Rows are returned sorted and unchanged, at each reading, whether they fit into memory or not.
func TestSorted(t *testing.T) {
	const n = 500
	byPosition := func(a, b []report.Row) int { return cmp.Compare(a[0].Position, b[0].Position) }
	for bound, reason := range map[int]string{1: "a file for each run", 20_000: "several files", 1 << 30: "all in memory"} {
		t.Run(reason, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			s := New(byPosition, bound)
			order := rand.New(rand.NewPCG(1, 2)).Perm(n)
			if bound == 1 {
				order = order[:40]
			}
			for _, i := range order {
				require.NoError(t, s.Add(runOf(i)))
			}
			slices.Sort(order)
			rows, err := s.Sorted()
			require.NoError(t, err)
			for range 2 {
				var got []int
				require.NoError(t, rows.Each(func(run []report.Row) error {
					require.Equal(t, runOf(run[0].Run), run)
					got = append(got, run[0].Run)
					return nil
				}))
				require.Equal(t, order, got)
			}
			require.NoError(t, s.Close())
		})
	}
}

func TestNothing(t *testing.T) {
	s := New(report.AsRead, 1)
	require.NoError(t, s.Add(nil))
	rows, err := s.Sorted()
	require.NoError(t, err)
	require.NoError(t, rows.Each(func([]report.Row) error { t.Error("there are no runs"); return nil }))
	require.NoError(t, s.Close())
}

// An error of the reader ends the reading, and is returned.
func TestAnErrorEndsTheReading(t *testing.T) {
	for _, bound := range []int{1, 1 << 30} {
		s := New(report.AsRead, bound)
		require.NoError(t, s.Add(runOf(1)))
		require.NoError(t, s.Add(runOf(2)))
		rows, err := s.Sorted()
		require.NoError(t, err)
		n := 0
		require.ErrorContains(t, rows.Each(func([]report.Row) error { n++; return errors.New("stop") }), "stop")
		require.Equal(t, 1, n)
		require.NoError(t, s.Close())
	}
}

// A folder without write permission is an error, not a loss.
func TestNoRoomForFiles(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere/at/all")
	require.Error(t, New(report.AsRead, 1).Add(runOf(1)))
}

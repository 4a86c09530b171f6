//go:build chaos

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
)

// at is a moment of a case.
func at(seconds float64) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

var (
	good    = spans.Verdict{Judged: true, Score: 1, Passed: true, Called: "a,b", Complete: true}
	early   = spans.Verdict{Judged: true, Score: 0.5, Called: "a"}
	unasked = spans.Verdict{Judged: true, Score: 0.5, Called: "a", Complete: true}
)

// oneRun is a run of an ordinary span 1, acknowledged at second 0, and an anchor 2, acknowledged at second 1.
func oneRun() *sent {
	began, acked := at(0), at(1)
	ordinary, top := smallID(1, 1), smallID(1, 2)
	return &sent{
		acked: map[spanID]time.Time{ordinary: began, top: acked},
		runs:  []*sentRun{{anchors: []anchor{{top, good}}, root: top, last: 1, began: began, acked: acked}},
	}
}

func TestChaosCountFindsLostSpansAndCopies(t *testing.T) {
	s := oneRun()
	a := newArrivals()
	a.times[smallID(1, 1)] = 3
	a.times[smallID(9, 9)] = 1 // was sent and not acknowledged
	require.Equal(t, tally{acked: 2, exported: 2, duplicates: 2, lost: 1, unheld: 1, runs: 1}, count(s, &a, nil, time.Second))
}

func TestChaosCountKnowsWhatWasHeld(t *testing.T) {
	for name, c := range map[string]struct {
		arrived spanID // the other one of the two is lost
		killed  float64
		unheld  int
	}{
		"an anchor that waited":       {smallID(1, 1), 1.5, 0},
		"an anchor acknowledged late": {smallID(1, 1), 0.9, 0}, // its answer was on the way
		"an anchor long released":     {smallID(1, 1), 2.5, 1},
		"an anchor that came later":   {smallID(1, 1), 0.1, 1},
		"an ordinary span":            {smallID(1, 2), 0.5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArrivals()
			a.times[c.arrived] = 1
			faults := []fault{{at(c.killed), at(c.killed + 0.2)}}
			got := count(oneRun(), &a, faults, time.Second)
			require.Equal(t, 1, got.lost)
			require.Equal(t, c.unheld, got.unheld)
		})
	}
}

func TestChaosCountClassesVerdicts(t *testing.T) {
	type classes struct{ right, partial, known, other, cut, unjudged, wrong int }
	goodEarly := good
	goodEarly.Complete, goodEarly.Because = false, "restarted"
	between := []fault{{at(0.4), at(0.5)}}
	for name, c := range map[string]struct {
		came   []spans.Verdict
		faults []fault
		want   classes
	}{
		"right":                    {[]spans.Verdict{good}, nil, classes{right: 1}},
		"right twice":              {[]spans.Verdict{good, good}, nil, classes{right: 1}},
		"partial":                  {[]spans.Verdict{early}, nil, classes{partial: 1, other: 1}},
		"partial, and known":       {[]spans.Verdict{goodEarly}, nil, classes{partial: 1, known: 1}},
		"partial, then right":      {[]spans.Verdict{early, good}, nil, classes{partial: 1, other: 1}},
		"wrong":                    {[]spans.Verdict{unasked}, nil, classes{wrong: 1}},
		"right, then wrong":        {[]spans.Verdict{good, unasked}, nil, classes{wrong: 1}},
		"none":                     {nil, nil, classes{unjudged: 1}},
		"none after a cut":         {nil, between, classes{cut: 1}},
		"wrong after a cut":        {[]spans.Verdict{unasked}, between, classes{cut: 1}},
		"right in spite of a cut":  {[]spans.Verdict{good}, between, classes{right: 1}},
		"wrong, the fault was ago": {[]spans.Verdict{unasked}, []fault{{at(-2), at(-1)}}, classes{wrong: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArrivals()
			a.times[smallID(1, 1)], a.times[smallID(1, 2)] = 1, 1
			a.verdicts[smallID(1, 2)] = c.came
			got := count(oneRun(), &a, c.faults, time.Second)
			require.Equal(t, 1, got.runs)
			require.Equal(t, c.want, classes{got.right, got.partial, got.known, got.other, got.cut, got.unjudged, got.wrong})
		})
	}
}

func TestChaosCountLeavesOutRunsThatWereNotAcknowledgedCompletely(t *testing.T) {
	s := oneRun()
	s.runs[0].acked = time.Time{}
	require.Zero(t, count(s, new(arrivals), nil, time.Second).runs)
}

func TestChaosPromisesAreBroken(t *testing.T) {
	fine := tally{acked: 9, exported: 9, runs: 2, right: 2}
	require.Empty(t, fine.breaks(promise{}))
	for name, c := range map[string]struct {
		promise promise
		spoil   func(*tally)
	}{
		"nothing sent":      {promise{}, func(r *tally) { r.acked = 0 }},
		"lost":              {promise{}, func(r *tally) { r.lost = 1 }},
		"lost, not held":    {promise{loses: true}, func(r *tally) { r.lost, r.unheld = 1, 1 }},
		"copies":            {promise{}, func(r *tally) { r.duplicates = 1 }},
		"wrong":             {promise{cuts: true}, func(r *tally) { r.wrong = 1 }},
		"cut":               {promise{}, func(r *tally) { r.cut = 1 }},
		"unjudged":          {promise{}, func(r *tally) { r.unjudged = 1 }},
		"partial":           {promise{}, func(r *tally) { r.partial = 1 }},
		"none partial":      {promise{partial: some}, func(*tally) {}},
		"not few partial":   {promise{partial: few}, func(r *tally) { r.partial = 2 }},
		"few, no restart":   {promise{partial: few}, func(r *tally) { r.runs, r.partial, r.other = 200, 1, 1 }},
		"not all partial":   {promise{partial: all}, func(r *tally) { r.partial = 1 }},
		"partial and wrong": {promise{partial: anyNumber, known: true}, func(r *tally) { r.partial = 1 }},
		"never refused":     {promise{refused: true}, func(*tally) {}},
		"never accepted":    {promise{}, func(r *tally) { r.pending = 1 }},
		"dropped":           {promise{}, func(r *tally) { r.givenUp = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			r := fine
			c.spoil(&r)
			require.Len(t, r.breaks(c.promise), 1)
		})
	}
	allowed := fine
	allowed.lost, allowed.cut, allowed.partial, allowed.duplicates = 1, 1, 1, 1
	require.Empty(t, allowed.breaks(promise{loses: true, cuts: true, partial: anyNumber, duplicates: true}))
}

func TestChaosPanicsAreFoundInTheLog(t *testing.T) {
	require.Empty(t, panics([]byte("info\tall is well\n")))
	require.Len(t, panics([]byte("info\tx\npanic: runtime error\nfatal error: all goroutines are asleep\n")), 2)
}

func TestChaosEveryCaseSaysWhatItPromises(t *testing.T) {
	names := map[string]bool{}
	for _, s := range append(scenarios(true), fleetScenarios(true)...) {
		require.False(t, names[s.name], s.name)
		names[s.name] = true
		require.NotNil(t, s.play, s.name)
		require.NotEmpty(t, s.promise.reason, s.name)
		require.Positive(t, s.bound, s.name)
	}
}

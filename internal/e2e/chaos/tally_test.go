package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// at is a moment of a case.
func at(seconds float64) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

func idOf(trace, span byte) spanID {
	return spanID{pcommon.TraceID{trace}, pcommon.SpanID{span}}
}

var (
	good    = verdict{score: 1, passed: true, called: "a,b", complete: true}
	early   = verdict{score: 0.5, called: "a"}
	unasked = verdict{score: 0.5, called: "a", complete: true}
)

// oneRun is a run of an ordinary span 1, acknowledged at second 0, and an anchor 2, acknowledged at second 1.
func oneRun() *sent {
	began, acked := at(0), at(1)
	ordinary, top := idOf(1, 1), idOf(1, 2)
	return &sent{
		acked: map[spanID]time.Time{ordinary: began, top: acked},
		runs:  []*sentRun{{anchors: []anchor{{top, good}}, root: top, last: 1, began: began, acked: acked}},
	}
}

func TestCountFindsLostSpansAndCopies(t *testing.T) {
	s := oneRun()
	a := newArrivals()
	a.times[idOf(1, 1)] = 3
	a.times[idOf(9, 9)] = 1 // was sent and not acknowledged
	require.Equal(t, tally{acked: 2, exported: 2, duplicates: 2, lost: 1, unheld: 1, runs: 1}, count(s, a, nil, time.Second))
}

func TestCountKnowsWhatWasHeld(t *testing.T) {
	for name, c := range map[string]struct {
		arrived spanID // the other one of the two is lost
		killed  float64
		unheld  int
	}{
		"an anchor that waited":       {idOf(1, 1), 1.5, 0},
		"an anchor acknowledged late": {idOf(1, 1), 0.9, 0}, // its answer was on the way
		"an anchor long released":     {idOf(1, 1), 2.5, 1},
		"an anchor that came later":   {idOf(1, 1), 0.1, 1},
		"an ordinary span":            {idOf(1, 2), 0.5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArrivals()
			a.times[c.arrived] = 1
			faults := []fault{{at(c.killed), at(c.killed + 0.2)}}
			got := count(oneRun(), a, faults, time.Second)
			require.Equal(t, 1, got.lost)
			require.Equal(t, c.unheld, got.unheld)
		})
	}
}

func TestCountClassesVerdicts(t *testing.T) {
	type classes struct{ right, partial, known, other, cut, unjudged, wrong int }
	goodEarly := good
	goodEarly.complete, goodEarly.because = false, "restarted"
	between := []fault{{at(0.4), at(0.5)}}
	for name, c := range map[string]struct {
		came   []verdict
		faults []fault
		want   classes
	}{
		"right":                    {[]verdict{good}, nil, classes{right: 1}},
		"right twice":              {[]verdict{good, good}, nil, classes{right: 1}},
		"partial":                  {[]verdict{early}, nil, classes{partial: 1, other: 1}},
		"partial, and known":       {[]verdict{goodEarly}, nil, classes{partial: 1, known: 1}},
		"partial, then right":      {[]verdict{early, good}, nil, classes{partial: 1, other: 1}},
		"wrong":                    {[]verdict{unasked}, nil, classes{wrong: 1}},
		"right, then wrong":        {[]verdict{good, unasked}, nil, classes{wrong: 1}},
		"none":                     {nil, nil, classes{unjudged: 1}},
		"none after a cut":         {nil, between, classes{unjudged: 1}},
		"wrong after a cut":        {[]verdict{unasked}, between, classes{cut: 1}},
		"right in spite of a cut":  {[]verdict{good}, between, classes{right: 1}},
		"wrong, the fault was ago": {[]verdict{unasked}, []fault{{at(-2), at(-1)}}, classes{wrong: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArrivals()
			a.times[idOf(1, 1)], a.times[idOf(1, 2)] = 1, 1
			a.verdicts[idOf(1, 2)] = c.came
			got := count(oneRun(), a, c.faults, time.Second)
			require.Equal(t, 1, got.runs)
			require.Equal(t, c.want, classes{got.right, got.partial, got.known, got.other, got.cut, got.unjudged, got.wrong})
		})
	}
}

func TestCountLeavesOutRunsThatWereNotAcknowledgedCompletely(t *testing.T) {
	s := oneRun()
	s.runs[0].acked = time.Time{}
	require.Zero(t, count(s, newArrivals(), nil, time.Second).runs)
}

func TestPromisesAreBroken(t *testing.T) {
	fine := tally{acked: 9, exported: 9, runs: 2, right: 2}
	require.Empty(t, broken(promise{}, result{tally: fine}))
	for name, c := range map[string]struct {
		promise promise
		spoil   func(*result)
	}{
		"nothing sent":      {promise{}, func(r *result) { r.acked = 0 }},
		"lost":              {promise{}, func(r *result) { r.lost = 1 }},
		"lost, not held":    {promise{loses: true}, func(r *result) { r.lost, r.unheld = 1, 1 }},
		"copies":            {promise{}, func(r *result) { r.duplicates = 1 }},
		"wrong":             {promise{cuts: true}, func(r *result) { r.wrong = 1 }},
		"cut":               {promise{}, func(r *result) { r.cut = 1 }},
		"unjudged":          {promise{}, func(r *result) { r.unjudged = 1 }},
		"partial":           {promise{}, func(r *result) { r.partial = 1 }},
		"none partial":      {promise{partial: some}, func(*result) {}},
		"not few partial":   {promise{partial: few}, func(r *result) { r.partial = 2 }},
		"few, no restart":   {promise{partial: few}, func(r *result) { r.runs, r.partial, r.other = 200, 1, 1 }},
		"not all partial":   {promise{partial: all}, func(r *result) { r.partial = 1 }},
		"partial and wrong": {promise{partial: anyNumber, known: true}, func(r *result) { r.partial = 1 }},
		"never refused":     {promise{refused: true}, func(*result) {}},
		"never accepted":    {promise{}, func(r *result) { r.pending = 1 }},
		"dropped":           {promise{}, func(r *result) { r.givenUp = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			r := result{tally: fine}
			c.spoil(&r)
			require.Len(t, broken(c.promise, r), 1)
		})
	}
	allowed := result{tally: fine}
	allowed.lost, allowed.cut, allowed.partial, allowed.duplicates = 1, 1, 1, 1
	require.Empty(t, broken(promise{loses: true, cuts: true, partial: anyNumber, duplicates: true}, allowed))
}

func TestPanicsAreFoundInTheLog(t *testing.T) {
	require.Empty(t, panics([]byte("info\tall is well\n")))
	require.Len(t, panics([]byte("info\tx\npanic: runtime error\nfatal error: all goroutines are asleep\n")), 2)
}

func TestEveryCaseSaysWhatItPromises(t *testing.T) {
	names := map[string]bool{}
	for _, s := range append(scenarios(true), fleetCases(true)...) {
		require.False(t, names[s.name], s.name)
		names[s.name] = true
		require.NotEqual(t, s.play == nil, s.fleet == nil, s.name)
		require.NotEmpty(t, s.promise.reason, s.name)
		require.Positive(t, s.bound, s.name)
	}
}

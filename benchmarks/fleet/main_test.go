package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A change of the fleet moves the traces of the scorer that came or went, and no others.
func TestARingMovesOnlyWhatItMust(t *testing.T) {
	three, four := newRing([]int{0, 1, 2}), newRing([]int{0, 1, 2, 3})
	const traces = 100_000
	rng := rand.New(rand.NewPCG(1, 1))
	moved := 0
	for range traces {
		p := position(rng)
		switch a, b := three.of(p), four.of(p); {
		case b == 3:
			moved++
		case a != b:
			t.Fatalf("a trace moved from %d to %d, which were there before", a, b)
		}
	}
	if share := float64(moved) / traces; share < 0.15 || share > 0.35 {
		t.Errorf("%.2f of the traces moved, want about a quarter", share)
	}
}

func TestFate(t *testing.T) {
	one, other := newRing([]int{0}), newRing([]int{1})
	moves := fleet{{ring: one}, {at: 10, from: 10, to: 10, ring: other}}
	fresh := fleet{{ring: one}, {at: 10, from: 10, to: 10, ring: other, began: map[int]float64{1: 9}}}
	back := fleet{{ring: one}, {at: 10, from: 10, to: 10, ring: other}, {at: 20, from: 20, to: 20, ring: one}}
	for _, tc := range []struct {
		name   string
		fleet  fleet
		run    run
		want   fate
		reason string
	}{
		{"before", moves, run{calls: []float64{1, 2}, end: 3}, once, "the change comes later"},
		{"after", moves, run{calls: []float64{11}, end: 13}, once, "the new scorer sees all"},
		{"through", moves, run{calls: []float64{9, 11}, end: 13}, torn, "a call is at the scorer before"},
		{"only the agent's span moved", moves, run{calls: []float64{8, 9}, end: 13}, torn, "all calls are at the scorer before"},
		{"no call before", moves, run{calls: []float64{11, 12}, end: 13}, once, "every call is with the agent's span"},
		{"to a scorer that started", fresh, run{calls: []float64{5}, end: 13}, incomplete, "it knows that the run began before it did"},
		{"after it started", fresh, run{start: 9.2, calls: []float64{9.5}, end: 13}, torn, "it started before the run, and the trace moved later"},
		{"there and back", back, run{calls: []float64{5, 15}, end: 25}, torn, "a call of the time between is elsewhere"},
		{"away and back between", back, run{calls: []float64{5}, end: 25}, once, "all is where it was, and the scorer kept it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, _, _ := tc.fleet.fate(tc.run); got != tc.want {
				t.Errorf("fate = %d, want %d: %s", got, tc.want, tc.reason)
			}
		})
	}
}

// The same seed gives the same figures.
func TestTheReportIsRepeatable(t *testing.T) {
	var one, two strings.Builder
	for _, w := range []*strings.Builder{&one, &two} {
		if err := report(w, 10, 20_000, 7); err != nil {
			t.Fatal(err)
		}
	}
	if one.String() != two.String() || !strings.Contains(one.String(), "| add |") {
		t.Errorf("two reports differ:\n%s\n%s", one.String(), two.String())
	}
}

// The simulation agrees with the real fleet: each figure is between half and double the mean, or within three standard
// deviations of a replay.
func TestTheSimulationAgreesWithTheRealFleet(t *testing.T) {
	plays, err := reals()
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, r := range slices.Concat(plays[:]...) {
		if !compared(r) {
			continue
		}
		cases++
		mean, deviation := replays(r, 1)
		for _, f := range []struct {
			name          string
			real, mean, d float64
		}{
			{"runs", r.Runs, mean.runs, deviation.runs},
			{"under way", r.UnderWay, mean.underWay, deviation.underWay},
			{"incomplete", r.Incomplete, mean.incomplete, deviation.incomplete},
			{"torn", r.Torn, mean.torn, deviation.torn},
		} {
			if f.real < min(f.mean/2, f.mean-3*f.d) || f.real > max(2*f.mean, f.mean+3*f.d) {
				t.Errorf("%s: %s is %.0f in the real fleet, and %.1f ± %.1f in the simulation", r.Case, f.name, f.real, f.mean, f.d)
			}
		}
	}
	if cases != 8 {
		t.Errorf("%d cases are compared, want 4 of each play", cases)
	}
}

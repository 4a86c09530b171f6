package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// rounds are how often the real test is replayed: its figures are small, so one replay says little.
const rounds = 20

func report(w io.Writer, scorers, sample int, seed uint64) error {
	s := aDay(scorers, seed)
	var g figures
	runsOfADay(sample, seed, func(r run) { g.add(s.fleet.fate(r)) })
	g = g.times(float64(sample))
	fmt.Fprintf(w, "## A day with %d scorers at its peak\n\n", scorers)
	fmt.Fprintf(w, "Seed %d, one of %d runs simulated. Changes of the fleet:", seed, sample)
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		fmt.Fprintf(w, " %s %d;", kind, s.kinds[kind])
	}
	fmt.Fprintf(w, "\n\n| runs | under way at a change | moved | judged once | incomplete | torn | spans lost |\n|--:|--:|--:|--:|--:|--:|--:|\n")
	share := func(n float64) string { return fmt.Sprintf("%.3g (%.3f%%)", n, 100*n/g.runs) }
	fmt.Fprintf(w, "| %.3g | %s | %s | %s | %s | %s | 0 |\n\n", g.runs, share(g.underWay), share(g.moved), share(g.once), share(g.incomplete), share(g.torn))
	held := 0.0
	for _, t := range s.kills {
		held += traffic(t) * peakSpans * agentsShare / spansPerRun / (traffic(t) * float64(scorers)) * wait
	}
	waits := peakSpans * agentsShare / spansPerRun * wait
	fmt.Fprintf(w, "At the peak %.0f held spans wait in the fleet, %.0f in a scorer. %d crashes would lose %.0f held spans without a storage.\n\n",
		waits, waits/float64(scorers), len(s.kills), held)
	return reportReal(w, seed)
}

func reportReal(w io.Writer, seed uint64) error {
	plays, err := reals()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "## Beside the real fleet\n\nMeans of %d replays; ± is their standard deviation.\n\n", rounds)
	fmt.Fprintf(w, "| play | case | runs, real | simulated | under way, real | simulated | incomplete, real | simulated | torn, real | simulated |\n")
	fmt.Fprintf(w, "|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, cases := range plays {
		reportPlay(w, i+1, cases, seed)
	}
	return nil
}

func reportPlay(w io.Writer, play int, cases []real, seed uint64) {
	for _, r := range cases {
		if !compared(r) {
			continue
		}
		m, d := replays(r, seed)
		fmt.Fprintf(w, "| %d | %s | %.0f | %.0f | %.0f | %.0f ± %.0f | %.0f | %.0f ± %.0f | %.0f | %.0f ± %.0f |\n",
			play, r.Case, r.Runs, m.runs, r.UnderWay, m.underWay, d.underWay, r.Incomplete, m.incomplete, d.incomplete, r.Torn, m.torn, d.torn)
	}
}

// compared says whether the case is one whose changes the model knows.
func compared(r real) bool {
	return slices.Contains([]string{"steady", "kill-and-move", "add", "drain"}, r.Case)
}

// replays are mean and standard deviation of several replays.
func replays(r real, seed uint64) (mean, deviation figures) {
	var all []figures
	for i := range uint64(rounds) {
		all = append(all, replay(r, seed+i))
	}
	over := func(of func(figures) float64) (m, d float64) {
		for _, g := range all {
			m += of(g) / rounds
		}
		for _, g := range all {
			d += (of(g) - m) * (of(g) - m) / (rounds - 1)
		}
		return m, math.Sqrt(d)
	}
	mean.runs, deviation.runs = over(func(g figures) float64 { return g.runs })
	mean.underWay, deviation.underWay = over(func(g figures) float64 { return g.underWay })
	mean.incomplete, deviation.incomplete = over(func(g figures) float64 { return g.incomplete })
	mean.torn, deviation.torn = over(func(g figures) float64 { return g.torn })
	return mean, deviation
}

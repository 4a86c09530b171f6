// Fleet simulates a fleet of scorers behind a balancer: which scorer each span reaches, how long runs wait, and how changes
// of the fleet matter. It has no clock and no network, and the same seed gives the same figures.
//
//	go run ./fleet [-scorers 100] [-seed 1] [-sample 100]
//
// It simulates a day of a million spans a second, and the cases of `make e2e-fleet`. The real figures of two plays of these lie in
// testdata. benchmarks/FLEET.md has the tables.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	scorers := flag.Int("scorers", 100, "scorers at the day's peak")
	seed := flag.Uint64("seed", 1, "of the traffic and of the faults")
	sample := flag.Int("sample", 100, "one of so many runs of the day is simulated")
	flag.Parse()
	if err := report(os.Stdout, *scorers, *sample, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

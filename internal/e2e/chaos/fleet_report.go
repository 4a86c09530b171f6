package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

const (
	fleetBound = 4 * time.Minute  // for one case
	fleetStart = 60 * time.Second // for one collector: a consumer joins its group, and several share the machine
)

// A fleetResult is what a case has shown.
type fleetResult struct {
	fleetTally
	name, promise string
	scorers       int
	retries       int
	took          time.Duration
	broken        []string
	log           string
	seconds       float64      // of the load
	front, behind float64      // CPU seconds per million spans of the front, and of all scorers
	changes       [][2]float64 // when each change of the fleet began and ended, in seconds of the load
}

// A measured is a result as benchmarks/fleet compares it with its simulation.
type measured struct {
	Case       string       `json:"case"`
	Seconds    float64      `json:"seconds"`
	Changes    [][2]float64 `json:"changes"`
	Runs       int          `json:"runs"`
	UnderWay   int          `json:"under_way"`
	Once       int          `json:"once"`
	Incomplete int          `json:"incomplete"`
	Torn       int          `json:"torn"`
}

// playFleet runs one case in a folder of its own, which is removed. The logs stay if the promise is broken.
func (o options) playFleet(ctx context.Context, c fleetCase, b *broker) (r fleetResult) {
	began := time.Now()
	r = fleetResult{name: c.name, promise: c.promise.reason}
	defer func() { r.took = time.Since(began) }()
	dir, err := os.MkdirTemp("", "fleet-"+c.name+"-")
	if err != nil {
		r.broken = []string{err.Error()}
		return r
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, fleetBound)
	defer cancel()
	f := &fleet{fleetCase: c, seed: o.seed, binary: o.collector, dir: dir, rng: rand.New(rand.NewPCG(o.seed, 0)), broker: b, ledger: newLedger()}
	if b != nil {
		if err := b.createTopic(ctx, f.topic()); err != nil {
			r.broken = []string{err.Error()}
			return r
		}
	}
	if err := f.perform(ctx); err != nil {
		r.broken = append(r.broken, err.Error())
	}
	r.count(f)
	r.broken = slices.Concat(r.broken, f.panics())
	if len(r.broken) > 0 {
		r.log = dir + ".log"
		if err := os.WriteFile(r.log, f.logs(), 0o600); err != nil {
			r.broken = append(r.broken, err.Error())
		}
	}
	return r
}

func (r *fleetResult) count(f *fleet) {
	all, busiest := f.arrivals()
	r.scorers, r.seconds = len(f.scorers), f.ended.Sub(f.began).Seconds()
	for _, at := range f.faults {
		r.changes = append(r.changes, [2]float64{at.from.Sub(f.began).Seconds(), at.to.Sub(f.began).Seconds()})
	}
	f.ledger.look(func(s *sent) {
		r.fleetTally = countFleet(s, all, f.faults, f.margin())
		r.retries = s.retries
		r.broken = append(r.broken, brokenFleet(f.promise, r.fleetTally, s)...)
	})
	r.busiest = busiest
	r.front, r.behind = 1e6*f.frontCPU/float64(max(1, r.acked)), 1e6*f.scorersCPU/float64(max(1, r.acked))
}

// margin is how much later than its acknowledgement a span may reach its scorer.
func (f *fleet) margin() time.Duration {
	if f.broker == nil {
		return 0
	}
	return f.settings.wait + slack
}

var fleetColumns = []string{
	"case", "scorers", "spans", "lost", "copies", "runs", "under way", "judged once", "twice", "incomplete", "torn", "wrong", "unjudged",
	"busiest", "CPU front", "CPU scorers", "retries", "seconds", "promise",
}

func (r fleetResult) row() []string {
	row := []string{r.name}
	for _, n := range []int{r.scorers, r.acked, r.lost, r.copies, r.runs, r.underWay, r.once, r.twice, r.incomplete, r.torn, r.wrong, r.unjudged} {
		row = append(row, strconv.Itoa(n))
	}
	kept := "kept"
	if len(r.broken) > 0 {
		kept = "BROKEN"
	}
	return append(row, fmt.Sprintf("%.0f%%", 100*r.busiest), fmt.Sprintf("%.0f", r.front), fmt.Sprintf("%.0f", r.behind), strconv.Itoa(r.retries), fmt.Sprintf("%.0f", r.took.Seconds()), kept)
}

const fleetLegend = `
- runs: agent spans of traces that were acknowledged completely. under way: the fleet changed between their first request and their last.
- judged once: one verdict, the one that is known beforehand. twice: several verdicts, whatever they say.
- incomplete: complete is false. torn: complete is true, the verdict is another one, and the run was under way. wrong: the same on any other run.
- lost: acknowledged spans that reached no sink. copies: further copies of spans. busiest: the largest share of spans at one scorer.
- CPU: seconds per million acknowledged spans, of the processes that ran at the end, their start included. Requests are small, except in
  saturated; and retries count.
`

// runFleet plays all cases, one after the other, and prints their table.
func (o options) runFleet(ctx context.Context, stdout, stderr io.Writer) (kept bool, err error) {
	cases := fleetCases(o.short)
	if o.kafka != "" {
		cases = kafkaCases(o.short)
	}
	var b *broker
	if o.kafka != "" {
		if b, err = startBroker(ctx, o.kafka); err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, b.stop()) }()
	}
	kept = true
	var all []measured
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(fleetColumns, "\t"))
	for _, c := range cases {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if o.only != "" && o.only != c.name {
			continue
		}
		r := o.playFleet(ctx, c, b)
		for _, line := range r.broken {
			kept = false
			fmt.Fprintf(stderr, "%s: %s (logs: %s)\n", c.name, line, r.log)
		}
		for _, line := range r.examples {
			fmt.Fprintf(stderr, "%s: %s\n", c.name, line)
		}
		fmt.Fprintln(w, strings.Join(r.row(), "\t"))
		all = append(all, measured{r.name, r.seconds, r.changes, r.runs, r.underWay, r.once, r.incomplete, r.torn})
		fmt.Fprintf(stderr, "played %s in %.0f s\n", c.name, r.took.Seconds())
	}
	if err := w.Flush(); err != nil {
		return false, err
	}
	if _, err := io.WriteString(stdout, fleetLegend); err != nil || o.out == "" {
		return kept, err
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return kept, err
	}
	return kept, os.WriteFile(o.out, append(text, '\n'), 0o644)
}

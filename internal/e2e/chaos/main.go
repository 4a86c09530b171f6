package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// bound is how long all cases may take together, and fleetBound those of several collectors.
const bound, fleetBound = 5 * time.Minute, 15 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ok, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	short     bool
	scenarios []scenario
	collector string
	seed      uint64
	fleet     bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (kept bool, err error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	limit := bound
	if o.fleet {
		limit = fleetBound
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var results []result
	kept = true
	for _, s := range o.scenarios {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		r := o.play(ctx, s)
		if len(r.broken) > 0 {
			kept = false
			for _, b := range slices.Concat(r.broken, r.examples) {
				fmt.Fprintf(stderr, "%s: %s\n", s.name, b)
			}
			fmt.Fprintf(stderr, "%s must keep: %s The log is %s\n", s.name, s.promise.reason, r.log)
		}
		results = append(results, r)
	}
	return kept, printTable(stdout, results)
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	var name string
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.short, "short", false, "all cases, with less time and fewer spans: at most a minute")
	flags.StringVar(&name, "case", "", "the only case to run; empty: all")
	flags.StringVar(&o.collector, "collector", "../../dist/otelcol-tool-correctness", "the collector")
	flags.Uint64Var(&o.seed, "seed", 1, "of the load and of the moments of faults")
	flags.BoolVar(&o.fleet, "fleet", false, "play a fleet of collectors behind load_balancing instead")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	o.scenarios = scenarios(o.short)
	if o.fleet {
		o.scenarios = fleetCases(o.short)
	}
	if name != "" {
		o.scenarios = slices.DeleteFunc(o.scenarios, func(s scenario) bool { return s.name != name })
		if len(o.scenarios) == 0 {
			return o, fmt.Errorf("there is no case %q", name)
		}
	}
	var err error
	if o.collector, err = filepath.Abs(o.collector); err != nil {
		return o, err
	}
	if _, err := os.Stat(o.collector); err != nil {
		return o, fmt.Errorf("%w; make build builds it", err)
	}
	return o, nil
}

// A performance is a case while it is played, by one collector or by a fleet.
type performance interface {
	perform(ctx context.Context) error
	count(r *result)
	logs() map[string]string // the files, by the names of their collectors
}

// play runs one case in a directory of its own, which is removed. The logs stay if the promise is broken.
func (o options) play(ctx context.Context, s scenario) (r result) {
	began := time.Now()
	r = result{name: s.name}
	defer func() { r.took = time.Since(began) }()
	dir, err := os.MkdirTemp("", "chaos-"+s.name+"-")
	if err != nil {
		r.broken = []string{err.Error()}
		return r
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	p, err := o.prepare(ctx, s, dir)
	if err != nil {
		r.broken = []string{err.Error()}
		return r
	}
	err = p.perform(ctx)
	p.count(&r)
	r.broken = broken(s.promise, r)
	if err != nil {
		r.broken = append(r.broken, err.Error())
	}
	var all bytes.Buffer
	for name, file := range p.logs() {
		text, err := os.ReadFile(file)
		if err != nil {
			r.broken = append(r.broken, err.Error())
		}
		r.broken = append(r.broken, panics(text)...)
		fmt.Fprintf(&all, "== %s\n%s\n", name, text)
	}
	if len(r.broken) > 0 {
		r.log = dir + ".log"
		if err := os.WriteFile(r.log, all.Bytes(), 0o600); err != nil {
			r.broken = append(r.broken, err.Error())
		}
	}
	return r
}

func (o options) prepare(ctx context.Context, s scenario, dir string) (performance, error) {
	if s.fleet == nil {
		return newStage(ctx, s, o, dir)
	}
	return &fleet{scenario: s, seed: o.seed, binary: o.collector, dir: dir, rng: rand.New(rand.NewPCG(o.seed, 0)), ledger: newLedger()}, nil
}

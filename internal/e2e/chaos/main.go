package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// bound is how long all cases may take together.
const bound = 5 * time.Minute

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
	out       string
	collector string
	seed      uint64
	fleet     bool
	only      string // the only case of a fleet; empty: all
	kafka     string // the folder with the broker's jars; empty: a fleet is behind load_balancing
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (kept bool, err error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if o.fleet {
		return o.runFleet(ctx, stdout, stderr)
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
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
			fmt.Fprintf(stderr, "%s: the collector's log is %s\n", s.name, r.log)
		}
		results = append(results, r)
	}
	if err := printTable(stdout, results); err != nil {
		return false, err
	}
	if o.out != "" {
		return kept, os.WriteFile(o.out, []byte(markdown(results, o)), 0o644)
	}
	return kept, nil
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	var name string
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.short, "short", false, "all cases, with less time and fewer spans: at most a minute")
	flags.StringVar(&name, "case", "", "the only case to run; empty: all")
	flags.StringVar(&o.out, "out", "", "where the table is written as Markdown, or with -fleet the figures as JSON; empty: nowhere")
	flags.StringVar(&o.collector, "collector", "../../dist/otelcol-tool-correctness", "the collector")
	flags.Uint64Var(&o.seed, "seed", 1, "of the load and of the moments of faults")
	flags.BoolVar(&o.fleet, "fleet", false, "play a fleet of collectors instead, behind load_balancing or, with -kafka, behind a broker")
	flags.StringVar(&o.kafka, "kafka", "", "with -fleet: the folder with the jars of Apache Kafka")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	o.only, o.scenarios = name, scenarios(o.short)
	if name != "" && !o.fleet {
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

// play runs one case in a directory of its own, which is removed. The collector's log stays if the promise is broken.
func (o options) play(ctx context.Context, s scenario) (r result) {
	began := time.Now()
	r = result{name: s.name, promise: s.promise.reason}
	defer func() { r.took = time.Since(began) }()
	dir, err := os.MkdirTemp("", "chaos-"+s.name+"-")
	if err != nil {
		r.broken = []string{err.Error()}
		return r
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	st, err := newStage(ctx, s, o, dir)
	if err == nil {
		err = st.perform(ctx)
		r.count(st)
		r.broken = broken(s.promise, r)
	}
	if err != nil {
		r.broken = append(r.broken, err.Error())
	}
	text, err := os.ReadFile(logFile(dir))
	if err != nil {
		r.broken = append(r.broken, err.Error())
	}
	r.broken = append(r.broken, panics(text)...)
	if len(r.broken) > 0 {
		r.log = dir + ".log"
		if err := os.WriteFile(r.log, text, 0o600); err != nil {
			r.broken = append(r.broken, err.Error())
		}
	}
	return r
}

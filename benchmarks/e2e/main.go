// Command e2e saturates a real collector over OTLP gRPC on loopback and measures its cost: without a processor, and with
// tool_correctness, tail_sampling and groupbytrace. Each round of a case is a collector of its own, and gets the same
// requests. Every span that was acknowledged must come out, and every run of tool_correctness must have a score, or it fails.
//
//	go run ./e2e -collector "$(e2e/build.sh)" [-rounds 5] [-mixed 1000000] [-agents 300000] [-wait 2s]
//
// Senders and sink run on the same machine as the collector, so spans per second are of all three together. CPU time and
// memory are the collector's alone. It needs Linux: they are read from /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	collector                       string
	rounds, mixed, agents, inFlight int
	wait                            time.Duration
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("e2e", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.collector, "collector", "", "the collector's binary; e2e/build.sh builds it and prints where it is")
	flags.IntVar(&o.rounds, "rounds", 5, "how often each case is measured")
	flags.IntVar(&o.mixed, "mixed", 1_000_000, "spans of b_mixed, at least")
	flags.IntVar(&o.agents, "agents", 300_000, "spans of a_agent8, at least")
	flags.IntVar(&o.inFlight, "senders", 4, "connections, each with one request at a time")
	flags.DurationVar(&o.wait, "wait", 2*time.Second, "how long each processor waits for the rest of a trace or run")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 1 || o.mixed < 1 || o.agents < 1 || o.inFlight < 1 || o.collector == "" {
		return o, errors.New("-collector must be given, and numbers must be positive")
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		kind  workload.Kind
		spans int
	}{{workload.Mixed, o.mixed}, {workload.Agent8, o.agents}} {
		load := l.kind.Make(l.spans, 1)
		costs, err := o.measure(ctx, load, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", l.kind.Name, err)
		}
		if _, err := io.WriteString(stdout, table(load, costs)); err != nil {
			return err
		}
	}
	return nil
}

// measure begins each round with another case, so that what changes on the machine meanwhile meets all of them. The
// costs are by case, then by round.
func (o options) measure(ctx context.Context, load *workload.Load, progress io.Writer) ([][]cost, error) {
	all := cases(o.wait)
	costs := make([][]cost, len(all))
	for round := range o.rounds {
		for turn := range all {
			i := (round + turn) % len(all)
			c, err := o.play(ctx, all[i], load)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].name, err)
			}
			fmt.Fprintf(progress, "%s, round %d of %d, %s: %.0f spans/s, %.2f CPU s per million, %.0f MB\n",
				load.Kind.Name, round+1, o.rounds, all[i].name, c.rate(load), c.cpu.Seconds()/float64(load.Spans)*1e6, float64(c.peak)/1e6)
			costs[i] = append(costs[i], c)
		}
	}
	return costs, nil
}

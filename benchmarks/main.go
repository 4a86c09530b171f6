// Command benchmarks compares what processors cost, side by side in one process: unmarshalling alone, and with
// tool_correctness, tail_sampling and groupbytrace behind it. It fails where a span does not come out, or where a run
// gets another score than it must. It prints a report, and writes it to RESULTS.md.
//
//	go run . [-rounds 5] [-spans 40000] [-workloads a_agent8,b_mixed] [-out RESULTS.md] [-only tool_correctness] [-cpuprofile FILE]
//
// The report says how to read it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	rounds     int
	spans      int
	seed       uint64
	wait       time.Duration
	hold       time.Duration
	kinds      []workload.Kind
	contenders []rig.Contender
	out        string
	profile    string
}

func run(args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	stop, err := profile(o.profile)
	if err != nil {
		return err
	}
	results, err := o.measure(stderr)
	if stopped := stop(); err == nil {
		err = stopped
	}
	if err != nil {
		return err
	}
	text := o.report(results, time.Now())
	if _, err := io.WriteString(stdout, text); err != nil || o.out == "" {
		return err
	}
	return os.WriteFile(o.out, []byte(text), 0o644)
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	var kinds, only string
	flags := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 5, "how often each case is measured")
	flags.IntVar(&o.spans, "spans", 40_000, "spans of a workload, at least")
	flags.Uint64Var(&o.seed, "seed", 1, "of the workloads")
	flags.DurationVar(&o.wait, "wait", time.Second, "how long each processor waits for the rest of a trace or run")
	flags.DurationVar(&o.hold, "hold", 6*time.Second, "the same while the heap is measured: all spans must be sent within it")
	flags.StringVar(&kinds, "workloads", "", "names, with commas between them; empty: all")
	flags.StringVar(&only, "only", "", "a part of the names of the contenders besides the first; empty: all")
	flags.StringVar(&o.out, "out", "", "where the report is written as well; empty: nowhere")
	flags.StringVar(&o.profile, "cpuprofile", "", "where a CPU profile of all is written; empty: nowhere")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 1 || o.spans < 1 {
		return o, fmt.Errorf("-rounds and -spans must be positive, are %d and %d", o.rounds, o.spans)
	}
	for i, c := range rig.Contenders() {
		if i == 0 || strings.Contains(c.Name, only) {
			o.contenders = append(o.contenders, c)
		}
	}
	var err error
	o.kinds, err = choose(kinds)
	return o, err
}

// choose finds the kinds by their names.
func choose(names string) ([]workload.Kind, error) {
	if names == "" {
		return workload.Kinds(), nil
	}
	var chosen []workload.Kind
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(workload.Kinds(), func(k workload.Kind) bool { return k.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("-workloads: there is no %q", name)
		}
		chosen = append(chosen, workload.Kinds()[i])
	}
	return chosen, nil
}

// profile begins a CPU profile, if there is a file for it.
func profile(file string) (stop func() error, err error) {
	if file == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

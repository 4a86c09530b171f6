// Command options measures what options of tool_correctness cost, and what its connector and its metrics do. A storage is
// file_storage of the Collector's contrib distribution, with fsync and without. Every span must come out, and every run must get
// its score.
//
//	go run ./options [-rounds 5] [-spans 40000] [-only storage] [-dir DIR]
//
// It prints a table for each workload and number of senders. Requests have 512 spans or a few more.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "options:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	rounds, spans int
	wait          time.Duration
	only, dir     string
	files         string // the folder with what contenders read
}

func run(args []string, stdout, stderr io.Writer) error {
	o := options{}
	flags := flag.NewFlagSet("options", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 5, "how often each case is measured")
	flags.IntVar(&o.spans, "spans", 40_000, "spans of a workload, at least")
	flags.DurationVar(&o.wait, "wait", time.Second, "how long runs wait for late calls")
	flags.StringVar(&o.only, "only", "", "parts of the names of the options besides the first two rows, with commas between them; empty: all")
	flags.StringVar(&o.dir, "dir", os.TempDir(), "where storages are made, and removed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.rounds < 1 || o.spans < 1 {
		return fmt.Errorf("-rounds and -spans must be positive, are %d and %d", o.rounds, o.spans)
	}
	remove, err := o.writeFiles()
	if err != nil {
		return err
	}
	return errors.Join(o.print(stdout, stderr), remove())
}

// print measures and prints one table for each workload and number of senders.
func (o options) print(stdout, stderr io.Writer) error {
	for _, kind := range []workload.Kind{workload.Agent8, workload.Mixed} {
		load := kind.Make(o.spans, 1)
		for _, senders := range []int{1, 4} {
			fmt.Fprintf(stderr, "%s, senders: %d\n", kind.Name, senders)
			rows, err := o.measure(load, senders)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(stdout, table(load, senders, rows)); err != nil {
				return err
			}
		}
	}
	return nil
}

// A row is what one contender cost, by round.
type row struct {
	name  string
	costs []rig.Cost
}

// measure begins each round with another contender, so that what changes on the machine meanwhile meets all of them.
func (o options) measure(load *workload.Load, senders int) ([]row, error) {
	var rows []row
	contenders := o.contenders()
	for _, c := range contenders {
		rows = append(rows, row{name: c.Name})
	}
	for round := range o.rounds {
		for turn := range contenders {
			i := (round + turn) % len(contenders)
			cost, err := rig.RunBy(senders, contenders[i], load, o.wait)
			if err != nil {
				return nil, err
			}
			rows[i].costs = append(rows[i].costs, cost)
		}
	}
	return rows, nil
}

// table compares every row with the first, which is unmarshalling alone, and with the second, which has no options.
func table(load *workload.Load, senders int, rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s, senders: %d\n\n", load.Kind.Name, senders)
	fmt.Fprintf(&b, "%d spans (%d B each) in %d requests, %d runs, %d calls; medians of %d rounds.\n\n",
		load.Spans, load.Bytes/load.Spans, len(load.Requests), load.Runs, load.Calls, len(rows[0].costs))
	b.WriteString("| | CPU ns/span | added ns/span | of that by the option | × no options | wall µs/request | spans/s |\n|---|--:|--:|--:|--:|--:|--:|\n")
	spans := float64(load.Spans)
	for i, r := range rows {
		added, option, ratio := "", "", ""
		if i > 0 {
			added = fmt.Sprintf("%.0f", r.more(rows[0])/spans)
		}
		if i > 1 {
			option = fmt.Sprintf("%.0f", r.more(rows[1])/spans)
			ratio = fmt.Sprintf("%.2f", r.times(rows[1]))
		}
		wall := r.median(func(c rig.Cost) float64 { return float64(c.Wall) })
		fmt.Fprintf(&b, "| %s | %.0f | %s | %s | %s | %.0f | %.0f |\n", r.name,
			r.median(func(c rig.Cost) float64 { return float64(c.CPU) })/spans, added, option, ratio,
			wall*float64(senders)/float64(len(load.Requests))/1e3, spans/wall*1e9)
	}
	b.WriteString("\n")
	return b.String()
}

func (r row) median(f func(rig.Cost) float64) float64 {
	var values []float64
	for _, c := range r.costs {
		values = append(values, f(c))
	}
	return rig.Median(values)
}

// more is the median, over the rounds, of the CPU time in ns that r took longer than another row in the same round.
func (r row) more(than row) float64 {
	var values []float64
	for i, c := range r.costs {
		values = append(values, float64(c.CPU-than.costs[i].CPU))
	}
	return rig.Median(values)
}

// times is the median, over the rounds, of the CPU time of r as a multiple of another row's in the same round. On a machine that
// is busy, it changes less than the time.
func (r row) times(than row) float64 {
	var values []float64
	for i, c := range r.costs {
		values = append(values, float64(c.CPU)/float64(than.costs[i].CPU))
	}
	return rig.Median(values)
}

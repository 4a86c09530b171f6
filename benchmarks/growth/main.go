// Command growth measures how the costs of tool_correctness grow: with open runs, with the calls of a run, with
// expectations, and with cores. Every run must get its score, or it fails.
//
//	go run ./growth [-most 1000000] [-rounds 3] [-only runs|calls|expectations|cores] [-plot FILE] [-csv FILE]
//
// It prints a table of each. The SVG file has a plot of each, and the CSV file the same figures: curve,x,measure,value.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// A point is what was measured at one size.
type point struct {
	x      int
	values []float64 // as the curve's measures
}

// A curve is how something grows.
type curve struct {
	name     string
	title    string
	about    string
	measures []string
	drawn    int // how many of the measures are plotted
	sizes    []int
	measure  func(size int) ([]float64, error)
}

// options are the command line.
type options struct {
	most, rounds    int
	only, plot, csv string
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.most, "most", 1_000_000, "the largest number of open runs, and of calls in a run")
	flags.IntVar(&o.rounds, "rounds", 3, "how often each size is measured")
	flags.StringVar(&o.only, "only", "", "the curve to measure: runs, calls, expectations or cores; empty: all")
	flags.StringVar(&o.plot, "plot", "", "where an SVG plot is written; empty: nowhere")
	flags.StringVar(&o.csv, "csv", "", "where the figures are written as CSV; empty: nowhere")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 1 || o.most < 1000 {
		return o, fmt.Errorf("-rounds must be positive and -most at least 1000, are %d and %d", o.rounds, o.most)
	}
	return o, nil
}

func run(args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	var rows strings.Builder
	rows.WriteString("curve,x,measure,value\n")
	var all []drawn
	for _, c := range curves(o.most) {
		if o.only != "" && o.only != c.name {
			continue
		}
		points, err := c.points(o.rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if _, err := io.WriteString(stdout, c.table(points)); err != nil {
			return err
		}
		c.rows(&rows, points)
		all = append(all, drawn{c, points})
	}
	if o.plot != "" {
		if err := draws(o.plot, all); err != nil {
			return err
		}
	}
	if o.csv == "" {
		return nil
	}
	return os.WriteFile(o.csv, []byte(rows.String()), 0o644)
}

// points are medians of the rounds. A round measures all sizes, so that what changes on the machine meanwhile meets all
// of them.
func (c curve) points(rounds int) ([]point, error) {
	measured := make([][][]float64, len(c.sizes)) // by size, then by measure, then by round
	for i := range measured {
		measured[i] = make([][]float64, len(c.measures))
	}
	for range rounds {
		for i, x := range c.sizes {
			values, err := c.measure(x)
			if err != nil {
				return nil, fmt.Errorf("%d: %w", x, err)
			}
			for m, v := range values {
				measured[i][m] = append(measured[i][m], v)
			}
		}
	}
	points := make([]point, len(c.sizes))
	for i, x := range c.sizes {
		points[i].x = x
		for _, values := range measured[i] {
			points[i].values = append(points[i].values, rig.Median(values))
		}
	}
	return points, nil
}

func (c curve) table(points []point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n| %s | %s |\n|--:|%s\n", c.name, c.about, c.name, strings.Join(c.measures, " | "), strings.Repeat("--:|", len(c.measures)))
	for _, p := range points {
		fmt.Fprintf(&b, "| %d |", p.x)
		for _, v := range p.values {
			fmt.Fprintf(&b, " %.0f |", v)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String()
}

func (c curve) rows(b *strings.Builder, points []point) {
	for _, p := range points {
		for i, v := range p.values {
			fmt.Fprintf(b, "%s,%d,%s,%g\n", c.name, p.x, c.measures[i], v)
		}
	}
}

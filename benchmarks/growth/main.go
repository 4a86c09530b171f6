// Command growth measures how the costs of tool_correctness grow: with open runs, with the calls of a run, with
// expectations, and with cores. Every run must get its score, or it fails.
//
//	go run ./growth [-most 100000] [-only runs|calls|expectations|cores] [-csv FILE]
//
// It prints a table of each; the CSV file has the same figures for a plot: curve,x,measure,value.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
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
	about    string
	measures []string
	sizes    []int
	measure  func(size int) ([]float64, error)
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	most := flags.Int("most", 100_000, "the largest number of open runs, and of calls in a run")
	only := flags.String("only", "", "the curve to measure: runs, calls, expectations or cores; empty: all")
	csv := flags.String("csv", "", "where the figures are written for a plot; empty: nowhere")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var rows strings.Builder
	rows.WriteString("curve,x,measure,value\n")
	for _, c := range curves(*most) {
		if *only != "" && *only != c.name {
			continue
		}
		points, err := c.points()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if _, err := io.WriteString(stdout, c.table(points)); err != nil {
			return err
		}
		c.rows(&rows, points)
	}
	if *csv == "" {
		return nil
	}
	return os.WriteFile(*csv, []byte(rows.String()), 0o644)
}

func (c curve) points() ([]point, error) {
	var points []point
	for _, x := range c.sizes {
		values, err := c.measure(x)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", x, err)
		}
		points = append(points, point{x, values})
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

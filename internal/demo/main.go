// Demo runs the built collector with examples/demo.yaml over the recorded traces, waits until every span has come out,
// stops the collector and prints the verdicts. It sees what a backend sees: the spans that come out, nothing else.
//
// It fails when the collector fails, when a span is missing, and when a trace file brought no scored verdict.
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
	"syscall"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/collectorproc"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// stopBound is how long the collector may take to stop.
const stopBound = 10 * time.Second

// tableWidth is more or less that of a wide terminal.
const tableWidth = 140

func main() {
	d := demo{}
	flag.StringVar(&d.collector, "collector", "dist/otelcol-tool-correctness", "the collector to run")
	flag.StringVar(&d.config, "config", "examples/demo.yaml", "its configuration, which writes to ${env:DEMO_OUTPUT}")
	flag.StringVar(&d.traces, "traces", "testdata/traces/*.jsonl", "the files that the configuration reads")
	flag.DurationVar(&d.limit, "limit", time.Minute, "give up after this long")
	flag.Parse()
	if err := d.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

type demo struct {
	collector, config, traces string
	limit                     time.Duration
}

func (d demo) run(w io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	sent, err := readAll(d.traces)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tool-correctness-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	output := filepath.Join(dir, "spans.jsonl")

	fmt.Fprintf(w, "%s reads %d spans from %d files\n\n", d.collector, len(sent.spans()), len(sent))
	if err := d.collect(ctx, output, sent.spans()); err != nil {
		return err
	}
	got, err := readFile(output)
	if err != nil {
		return err
	}
	rows := sent.rows(got)
	if err := report.Table(w, rows, report.Options{Gate: report.Gate{PassRate: 1}, Width: tableWidth}); err != nil {
		return err
	}
	return errors.Join(missingSpans(sent.spans(), got), unscoredFiles(sent, rows))
}

// collect runs the collector until every span sent stands in the output, or the limit is reached, and stops it as an
// operator does. Only anchors are held, so a complete output has all verdicts.
func (d demo) collect(ctx context.Context, output string, sent map[spanID]bool) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()

	p, err := collectorproc.Start(collectorproc.Settings{Binary: d.collector, Config: d.config, Env: []string{"DEMO_OUTPUT=" + output}})
	if err != nil {
		return fmt.Errorf("%w (make build builds it)", err)
	}
	var missing error
	err = p.Ready(ctx, func(context.Context) bool {
		got, err := readFile(output)
		missing = errors.Join(err, missingSpans(sent, got))
		return missing == nil
	})
	if errors.Is(err, collectorproc.ErrExited) {
		return errors.Join(err, missing)
	}
	return errors.Join(err, missing, p.Stop(stopBound))
}

// Demo runs the built collector with examples/demo.yaml over the recorded traces, waits until every span has come out,
// stops the collector and prints the verdicts. It sees what a backend sees: the spans that come out, nothing else.
//
// It fails when the collector fails, when a span is missing, and when a trace file brought no scored verdict.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

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

// collect runs the collector until every span sent stands in the output, or the limit is reached, and stops it as an operator
// does: with SIGTERM. Its log is shown only when something went wrong.
func (d demo) collect(ctx context.Context, output string, sent map[spanID]bool) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()

	var log bytes.Buffer
	cmd := exec.Command(d.collector, "--config", d.config)
	cmd.Env = append(os.Environ(), "DEMO_OUTPUT="+output)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w (make build builds it)", err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()

	waited := waitForSpans(ctx, output, sent, exited)
	if errors.Is(waited, errExited) {
		return fmt.Errorf("%w; its log:\n%s", waited, log.Bytes())
	}
	if err := stopCollector(cmd, exited); err != nil {
		return fmt.Errorf("%w; its log:\n%s", errors.Join(waited, err), log.Bytes())
	}
	if waited != nil {
		return fmt.Errorf("%w; the collector's log:\n%s", waited, log.Bytes())
	}
	return nil
}

var errExited = errors.New("the collector ended by itself")

// waitForSpans looks at the output ten times a second. Only a run's own span is held back, so a complete output has all verdicts.
func waitForSpans(ctx context.Context, output string, sent map[spanID]bool, exited <-chan error) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := readFile(output)
		missing := missingSpans(sent, got)
		if err == nil && missing == nil {
			return nil
		}
		select {
		case err := <-exited:
			return fmt.Errorf("%w: %w", errExited, err)
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err, missing)
		case <-tick.C:
		}
	}
}

// stopCollector asks the collector to end and gives it ten seconds.
func stopCollector(cmd *exec.Cmd, exited <-chan error) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-exited:
		if err != nil {
			return fmt.Errorf("the collector did not stop cleanly: %w", err)
		}
		return nil
	case <-time.After(10 * time.Second):
		return errors.Join(errors.New("the collector did not stop within 10s"), cmd.Process.Kill())
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/spool"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// judge sends the traces through the processor and returns its reports.
func (o *options) judge(ctx context.Context, stdin io.Reader, stderr io.Writer) (*findings, error) {
	cfg, id, err := load(ctx, o.config, o.processor)
	if err != nil {
		return nil, err
	}
	if o.valuesGiven {
		cfg.Annotate.Values = o.values
	}
	f := &findings{expectations: cfg.Expectations, values: cfg.Annotate.Values, places: newPlaces(maxPlaces), rows: spool.New(report.AsRead, rowsInMemory)}
	p, err := build(ctx, id, cfg, logTo(stderr, &f.warnings))
	if err != nil {
		return nil, fmt.Errorf("%s: processors::%s: %w", o.config, id, err)
	}
	p.DryRun(f.add)
	if err := o.drain(ctx, p, cfg, f, stdin, stderr); err != nil {
		return nil, errors.Join(err, f.rows.Close())
	}
	return f, nil
}

// drain sends the input through the processor, and closes all runs.
func (o *options) drain(ctx context.Context, p *processor.Processor, cfg *toolcorrectnessprocessor.Config, f *findings, stdin io.Reader, stderr io.Writer) error {
	if err := o.replay(ctx, p, f, pace{step: cfg.Run.Wait/2 + 1}, stdin, stderr); err != nil {
		return err
	}
	p.Advance(ctx, cfg.Run.Wait)
	p.Advance(ctx, cfg.Run.IdleTimeout)
	return errors.Join(p.Shutdown(ctx), f.failed)
}

// rowsInMemory is how much memory rows may take, in bytes. More are kept in files. Tests make it smaller.
var rowsInMemory = 16 << 20

// A pace closes runs along the way, so that an input of any size needs bounded memory. While few spans are open, nothing
// closes before the end of the input. Then it does not matter where in the input the spans of a run are.
type pace struct {
	step  time.Duration // a little more than half of run.wait
	spans int           // how many had been read when the clock was last advanced
}

// Tests make these smaller.
var (
	// muchOpen is how much the processor retains when runs begin to close, in bytes.
	muchOpen int64 = 24 << 20
	// fewSpans is how many spans are read at least before the clock advances again. A run closes after two steps, so its
	// calls may follow its own span by that many spans.
	fewSpans = 20_000
)

// advance advances the clock if much is open.
func (c *pace) advance(ctx context.Context, p *processor.Processor, spans int) {
	var d time.Duration
	if spans-c.spans >= fewSpans && p.Retained() > muchOpen {
		c.spans, d = spans, c.step
	}
	p.Advance(ctx, d) // also without a step: runs that a limit closed leave
}

// replay sends the input through the processor.
func (o *options) replay(ctx context.Context, p *processor.Processor, f *findings, c pace, stdin io.Reader, stderr io.Writer) error {
	files, err := inputs(o.traces)
	if err != nil {
		return err
	}
	r := reader{stdin: stdin, stderr: stderr, progress: newProgress(stderr, files)}
	defer r.progress.end()
	for i, s := range files {
		f.names = append(f.names, s.name)
		err := r.read(s, func(td ptrace.Traces) error {
			f.see(i, td)
			err := p.ConsumeTraces(ctx, td)
			c.advance(ctx, p, f.spans)
			return errors.Join(err, f.failed)
		})
		if err != nil {
			return err
		}
		f.files++
	}
	r.tellPassed()
	f.faulty = r.faulty
	return nil
}

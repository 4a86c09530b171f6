package processor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// A Source reads expectations from files. Read is called by one goroutine at a time.
type Source interface {
	// Read checks the files. It returns a set if they have changed, and nil if they are those of the last set. It returns
	// [evaluate.ErrUnsettled] while they are being written, and another error if they are wrong.
	Read(ctx context.Context) (*evaluate.ExpectationSet, error)
}

// readRules has rules, and the time when they were read.
type readRules struct {
	*evaluate.Rules
	since time.Time
}

// use makes a set the latest one.
func (p *Processor) use(set *evaluate.ExpectationSet) {
	for _, warning := range set.Warnings {
		p.logger.Warn(warning)
	}
	p.latest.Store(&readRules{evaluate.NewRules(p.set.Metrics, *set), p.clock.now()})
}

// adopt makes runs be judged by the set that was read last. It is called between two runs, so each run is judged by one set
// alone. The caller must hold ticking.
func (p *Processor) adopt() {
	read := p.latest.Load()
	if read == p.rules {
		return
	}
	p.rules = read
	p.evaluator.Use(read.Rules)
	clear(p.metrics.kinds) // those of other expectations would stay in memory
}

// Load reads the expectations in files for the first time. Start calls it. A tool that does not start the processor must
// call Load before [Processor.DryRun].
func (p *Processor) Load(ctx context.Context) error {
	if p.set.Source == nil {
		return nil
	}
	set, err := p.set.Source.Read(ctx)
	if err != nil {
		return fmt.Errorf("the expectations in files cannot be read: %w", err)
	}
	if set != nil { // else they are loaded
		p.use(set)
	}
	return nil
}

// reload replaces the set of expectations if the files have changed. If they are wrong, the last good set stays. A fault is logged once.
func (p *Processor) reload(ctx context.Context) {
	set, err := p.set.Source.Read(ctx)
	if ctx.Err() != nil || errors.Is(err, evaluate.ErrUnsettled) {
		return
	}
	before := p.reloadFault.Load()
	if err != nil {
		fault := err.Error()
		if before != nil && *before == fault {
			return
		}
		p.reloadFault.Store(&fault)
		p.metrics.count(ctx, p.metrics.ProcessorToolCorrectnessExpectationReloads, 1, "result", "failure")
		componentstatus.ReportStatus(p.host, componentstatus.NewRecoverableErrorEvent(err))
		p.logger.Error("the expectations in files have changed and cannot be used; those before them stay", zap.Error(err))
		return
	}
	if set != nil {
		p.metrics.count(ctx, p.metrics.ProcessorToolCorrectnessExpectationReloads, 1, "result", "success")
		p.use(set)
		p.logger.Info("expectations were reloaded", zap.Int("expectations", len(set.Expectations)), zap.String("config", set.Fingerprint))
	}
	if before != nil {
		p.reloadFault.Store(nil)
		p.reportRecovery()
		p.logger.Info("the expectations in files can be used again")
	}
}

// reportRecovery reports that all is well, unless something else is wrong.
func (p *Processor) reportRecovery() {
	if p.reloadFault.Load() == nil && !p.storageFailing.Load() {
		componentstatus.ReportStatus(p.host, componentstatus.NewEvent(componentstatus.StatusOK))
	}
}

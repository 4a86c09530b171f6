package processor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/tracebuffer"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// store writes the evidence of a batch before any of its spans is forwarded. If the storage refuses it, the caller must send
// the batch again. A batch of only ordinary spans is forwarded anyway. None of it is held, and its links only help runs whose
// other spans have not arrived.
func (p *Processor) store(ctx context.Context, now time.Time, b *batch) error {
	if b.tx == nil {
		return nil
	}
	defer b.tx.End()
	err := p.journal.Save(ctx, now, b.tx, &b.Parents, b.held.Anchors)
	p.diagnose(ctx, err)
	if err != nil {
		p.takeBack(b.tx)
	}
	if b.tx.IsEmpty() && len(b.held.Anchors) == 0 {
		return nil
	}
	return err
}

// takeBack removes a transaction that was not stored from its traces.
func (p *Processor) takeBack(g *journal.Tx) {
	g.TakeBack(func(id pcommon.TraceID, slot uint32) bool {
		s := p.lock(lookup.KeyOf(id))
		defer p.unlock(s)
		return s.runs.UntrackRecord(id, slot)
	})
}

// diagnose counts the storage's errors, and says when they begin and when they end.
func (p *Processor) diagnose(ctx context.Context, err error) {
	if err == nil {
		if p.storageFailing.Load() && p.storageFailing.Swap(false) {
			p.reportRecovery()
			p.logger.Info("the storage takes records again")
		}
		return
	}
	if ctx.Err() != nil {
		return // the caller gave up, and that is not the storage's fault
	}
	p.telemetry.ProcessorToolCorrectnessStorageErrors.Add(ctx, 1)
	if !p.storageFailing.Swap(true) {
		componentstatus.ReportStatus(p.host, componentstatus.NewRecoverableErrorEvent(err))
		p.logger.Error("the storage does not take records; batches with agents' spans are refused until it does", zap.Error(err))
	}
}

// released removes the records of the spans in a release batch, which were accepted or failed for good.
func (p *Processor) released(ctx context.Context, c *releasebatch.Batch) {
	if p.journal == nil {
		return
	}
	p.journal.Remove(c.Records...)
	p.ack(c.Checkpoints)
	now := p.clock.now()
	for i := range c.Judged {
		tracebuffer.AddClosed(c.Judged[i].Checkpoint, &p.run, &c.Judged[i], now, func(past []byte) uint32 { return p.journal.Add(now, past) })
	}
	p.commit(ctx)
}

// ack acknowledges checkpoints. The caller must hold ticking.
func (p *Processor) ack(receipts []*agentrun.Checkpoint) {
	now := p.clock.now()
	for _, r := range receipts {
		p.journal.Ack(now, r)
	}
}

// commit writes pending records. What the storage refuses is tried again with the next tick or batch.
func (p *Processor) commit(ctx context.Context) {
	if p.journal != nil {
		if err := p.journal.Commit(ctx); err != nil { // that it takes removals does not say that it takes records
			p.diagnose(ctx, err)
		}
	}
}

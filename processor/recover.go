package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
)

// openJournal opens the storage for open runs in the storage extension.
func (p *Processor) openJournal(ctx context.Context) error {
	extension, ok := p.host.GetExtensions()[*p.set.Storage]
	if !ok {
		return fmt.Errorf("storage: there is no extension %q; name it under `extensions` and under `service.extensions`", p.set.Storage)
	}
	provider, ok := extension.(storage.Extension)
	if !ok {
		return fmt.Errorf("storage: the extension %q is no storage", p.set.Storage)
	}
	client, err := provider.GetClient(ctx, component.KindProcessor, p.set.ID, "")
	if err != nil {
		return fmt.Errorf("storage: cannot open %q for %q: %w (if it is in use: a processor with storage can stand in one pipeline of one collector only)",
			p.set.Storage, p.set.ID, err)
	}
	p.journal = journal.New(client)
	return nil
}

// resume continues the runs that were open when the processor ended last. Their time continues where the last record was written,
// because no call could arrive in between.
func (p *Processor) resume(ctx context.Context) error {
	if err := p.openJournal(ctx); err != nil {
		return err
	}
	whole := true
	damaged := func(slot journal.Slot, why error) {
		whole = false
		p.quarantine(ctx, slot, why)
	}
	records, err := p.journal.Load(ctx, damaged)
	if err != nil {
		err = errors.Join(fmt.Errorf("storage: %q cannot be read: %w", p.set.Storage, err), p.journal.Close(ctx))
		p.journal = nil
		return err
	}
	now := p.clock.now()
	var last time.Time
	for i := range records { // one from the future comes from a wrong clock
		if at := records[i].At; at.After(last) && !at.After(now) {
			last = at
		}
	}
	held := 0
	for i := range records {
		r := &records[i]
		t, err := evidence.DecodeTrace(r.Body)
		if err != nil {
			damaged(r.Slot, err)
			continue
		}
		at := now.Add(min(0, r.At.Sub(last)))
		for k := range t.Held {
			h := &t.Held[k]
			p.origins.Add(heldspans.Resume(h))
			p.evaluator.Clean(h.Data)
			h.Arrived = at.UnixNano()
		}
		held += len(t.Held)
		if t.IsEmpty() && p.logs.RestorePast(at, &t) {
			p.pastRecords = append(p.pastRecords, r.Slot)
		} else {
			p.logs.Restore(at, &t, r.Slot)
		}
	}
	p.knowsPast = whole && len(records) > 0
	p.metrics.ProcessorToolCorrectnessSpansResumed.Add(ctx, int64(held))
	p.waiting.Add(int64(held))
	p.logger.Info("open runs are kept in a storage", zap.Stringer("storage", p.set.Storage), zap.Int("resumed spans", held))
	p.evictOverLimit(now)
	return nil
}

// maxPastRecords is how many closed traces a storage remembers, so that a start knows their late spans.
const maxPastRecords = 1 << 12

// replaceRecords replaces what is stored of the logs that were judged by what is left of them, in one write. If the storage refuses
// that, closed traces are owed, and of logs that are still open all records stay: a start after that delivers again what was delivered.
func (p *Processor) replaceRecords(ctx context.Context, now time.Time) {
	var bodies [][]byte
	var of []*examination // by body
	var old []journal.Slot
	for _, x := range p.backlog[:p.judged] {
		old = append(old, x.Records...)
		for k := range x.Traces {
			t := &x.Traces[k]
			if t.IsEmpty() && len(t.Facts) == 0 {
				continue
			}
			body, err := t.AppendBinary(nil)
			switch {
			case err != nil:
				p.diagnose(ctx, err)
				return
			case t.IsEmpty():
				p.owed = append(p.owed, body)
			default:
				bodies, of = append(bodies, body), append(of, x)
			}
		}
	}
	p.owed = p.owed[max(0, len(p.owed)-maxPastRecords):]
	if len(bodies)+len(p.owed)+len(old) == 0 {
		return
	}
	slots, err := p.journal.Write(ctx, now, slices.Concat(bodies, p.owed), old)
	if err != nil {
		p.diagnose(ctx, err)
		return
	}
	for _, x := range p.backlog[:p.judged] {
		x.Records = nil
	}
	for i, x := range of {
		x.Records = append(x.Records, slots[i])
	}
	p.pastRecords, p.owed = append(p.pastRecords, slots[len(of):]...), nil
	if n := len(p.pastRecords) - maxPastRecords; n > 0 {
		p.journal.Remove(p.pastRecords[:n]...)
		p.pastRecords = p.pastRecords[n:]
	}
	if err := p.journal.Commit(ctx); err != nil { // that it takes removals does not say that it takes records
		p.diagnose(ctx, err)
	}
}

// retryInterval is how often a storage is asked again that did not take what was judged.
const retryInterval = time.Second

// retry writes what is owed to the storage.
func (p *Processor) retry(ctx context.Context) {
	now := p.clock.now()
	if p.journal == nil || now.Before(p.retryAt) {
		return
	}
	p.retryAt = now.Add(retryInterval)
	if err := p.journal.Commit(ctx); err != nil {
		p.diagnose(ctx, err)
	} else if len(p.owed) > 0 && p.judged == 0 {
		p.replaceRecords(ctx, now)
	}
}

// quarantine moves a record that cannot be read out of the way, and counts it. A record of another version stays, for that
// version to read.
func (p *Processor) quarantine(ctx context.Context, slot journal.Slot, why error) {
	reason := "corrupt"
	if errors.Is(why, journal.ErrVersion) {
		reason = "version"
	} else if err := p.journal.Quarantine(ctx, slot); err != nil {
		why = errors.Join(why, err)
	}
	p.metrics.count(ctx, p.metrics.ProcessorToolCorrectnessRecordsSetAside, 1, "reason", reason)
	p.logger.Error("a stored record cannot be read; the storage keeps it, and its spans and calls are missing",
		zap.Stringer("storage", p.set.Storage), zap.String("key", journal.KeyOfSlot(slot)), zap.String("reason", reason), zap.Error(why))
}

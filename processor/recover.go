package processor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/otel/attribute"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/tracebuffer"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// openJournal asks the storage extension for a place to keep open runs in.
func (p *Processor) openJournal(ctx context.Context, host component.Host) error {
	if p.set.Storage == nil {
		return nil
	}
	extension, ok := host.GetExtensions()[*p.set.Storage]
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
	p.journal = newJournal(client, p.run, p.parents.Slots())
	return nil
}

// resume goes on with the runs that were open when the processor ended last. Time has stood still for them since the
// last record was written, because no call could come in between.
func (p *Processor) resume(ctx context.Context) error {
	if p.journal == nil {
		return nil
	}
	found, err := p.load(ctx)
	if err != nil {
		return fmt.Errorf("storage: %q cannot be read: %w", p.set.Storage, err)
	}
	now := p.clock.now()
	var last time.Time
	for _, e := range found.records { // one from the future tells of a clock that was wrong
		if (e.kind == kindEvidence || e.kind.isHeldSpan()) && e.at.After(last) && !e.at.After(now) {
			last = e.at
		}
	}
	slices.SortStableFunc(found.records, func(a, b record) int { return cmp.Or(a.kind.replayOrder()-b.kind.replayOrder(), a.at.Compare(b.at)) })
	anchors := 0
	for _, e := range found.records {
		switch err := p.replay(now.Add(min(0, e.at.Sub(last))), e, found.damaged); {
		case err != nil:
			found.damaged = true
			p.quarantine(ctx, e.slot, err)
		case e.kind.isHeldSpan():
			anchors++
		}
	}
	p.journal.tidyOrigins()
	p.measureCorrelator()
	if found.damaged || len(found.records) == 0 { // what there was before is not known, or not all of it
		p.began = now
	}
	p.telemetry.ProcessorToolCorrectnessSpansResumed.Add(ctx, int64(anchors))
	p.waiting.Add(int64(anchors))
	p.logger.Info("open runs are kept in a storage", zap.Stringer("storage", p.set.Storage), zap.Int("resumed spans", anchors))
	p.evictOverLimit(now)
	return nil
}

// isHeldSpan reports whether a record is that of a held span.
func (k recordKind) isHeldSpan() bool { return k == kindAnchor || k == kindReferring }

// replayOrder is when records of a kind are replayed: first what others need, the links of ordinary spans and closed runs, and
// last the anchors, of runs that have not closed whatever else says so.
func (k recordKind) replayOrder() int {
	switch k {
	case kindParents, kindParentsByProcess, kindClosed, kindOrigin:
		return 0
	case kindAnchor, kindReferring:
		return 2
	}
	return 1
}

// replay tells the processor what a record tells, as it was told at that time. Where records are damaged, calls may be
// missing from any run.
func (p *Processor) replay(at time.Time, e record, damaged bool) (err error) {
	j := p.journal
	switch e.kind {
	case kindEvidence:
		return p.replayEvidence(at, e)
	case kindAnchor, kindReferring:
		return p.replayAnchor(at, e, damaged)
	case kindOrigin:
		return j.resumeOrigins(e)
	case kindParents, kindParentsByProcess:
		links, err := decodeParents(e.kind, e.body)
		if err == nil {
			p.parents.Add(links)
			j.remove(j.parents.push(e.slot, len(links.Links))...)
		}
		return err
	case kindClosed:
		if err = p.replayClosed(e); err == nil {
			j.remove(j.closedTraces.push(e.slot, 1)...)
		}
		return err
	case kindMCPSpan:
		if err = p.mcpSpans.restore(e.body); err == nil {
			j.remove(j.mcpSpans.push(e.slot, 1)...)
		}
		return err
	case kindSummary:
		if err = p.correlator.RestoreSummary(e.body); err == nil {
			j.remove(j.summaries.push(e.slot, 1)...)
		}
		return err
	}
	return fmt.Errorf("%w: there is no kind %d", errCorrupt, e.kind)
}

func (p *Processor) replayClosed(e record) error {
	id, err := tracebuffer.TraceOf(e.body)
	if err != nil {
		return err
	}
	s := p.lock(lookup.KeyOf(id))
	defer p.unlock(s)
	return s.runs.RestoreClosed(e.body)
}

func (p *Processor) replayEvidence(at time.Time, e record) error {
	id, err := tracebuffer.TraceOf(e.body)
	if err != nil {
		return err
	}
	s := p.lock(lookup.KeyOf(id))
	restored, err := s.runs.Restore(at, e.body)
	if err == nil {
		s.runs.TrackRecord(id, e.slot)
	}
	p.unlock(s)
	if err != nil {
		return err
	}
	if !p.set.Run.WholeTrace {
		var told []lookup.Sighting
		for _, callID := range restored.CallIDs {
			told = p.callIDs.AppendSighting(told, callID, id)
		}
		p.markShared(told)
	}
	if restored.Step {
		p.expectSteps.Store(true)
	}
	return nil
}

func (p *Processor) replayAnchor(at time.Time, e record, damaged bool) error {
	a, err := p.journal.anchorOf(e)
	if err != nil {
		return err
	}
	if a.Kind != agentrun.Tool { // an older build may have stored it
		p.reserved.removeFrom(a.Held.Attributes())
	}
	a.Record, a.Partial = e.slot, damaged
	p.origins.Add(use(a.Origin))
	s := p.lock(lookup.KeyOf(a.Trace))
	defer p.unlock(s)
	s.runs.Reopen(a)
	s.runs.Hold(at, a)
	return nil
}

// slotsAtOnce is how many slots are read in one batch, and slotsBeyond how many empty ones in a row end the search
// where it is not known how many there are.
const (
	slotsAtOnce = 256
	slotsBeyond = 4 * slotsStep
)

// loaded is what was found in a storage.
type loaded struct {
	records []record
	damaged bool // something could not be read
}

// load reads all records. What cannot be read is set aside, and its slot is not used.
func (p *Processor) load(ctx context.Context) (loaded, error) {
	j := p.journal
	var l loaded
	reserved, known, err := j.readReserved(ctx)
	if err != nil {
		return l, err
	}
	used := make(map[uint32]bool)
	empty := 0
	for from := uint64(0); from < uint64(reserved) || !known && empty < slotsBeyond; from += slotsAtOnce {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		found, err := j.read(ctx, uint32(from))
		if err != nil {
			return l, err
		}
		empty += slotsAtOnce
		for _, f := range found {
			empty, used[f.slot] = 0, true
			e, err := decodeRecord(f.data)
			if err != nil {
				l.damaged = true
				p.quarantine(ctx, f.slot, err)
				continue
			}
			e.slot = f.slot
			l.records = append(l.records, e)
		}
	}
	j.vacate(ctx, used, reserved)
	return l, nil
}

// quarantine keeps a record that cannot be read out of the way, and counts it. One of another version stays as it is, for
// that version to read.
func (p *Processor) quarantine(ctx context.Context, slot uint32, why error) {
	reason := "corrupt"
	if errors.Is(why, errVersion) {
		reason = "version"
	} else if err := p.journal.quarantine(ctx, slot); err != nil {
		why = errors.Join(why, err)
	}
	p.telemetry.ProcessorToolCorrectnessRecordsSetAside.Add(ctx, 1, labels(attribute.String("reason", reason)))
	p.logger.Error("a stored record cannot be read, and is set aside; what it tells of is missing",
		zap.Stringer("storage", p.set.Storage), zap.String("key", keyOfSlot(slot)), zap.String("reason", reason), zap.Error(why))
}

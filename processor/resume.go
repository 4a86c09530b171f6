package processor

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/otel/attribute"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
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
	p.journal = newJournal(client, p.run, p.links.most)
	return nil
}

// resume goes on with the runs that were open when the processor ended last. Time has stood still for them since the
// last entry was written, because no call could come in between.
func (p *Processor) resume(ctx context.Context) error {
	if p.journal == nil {
		return nil
	}
	entries, err := p.load(ctx)
	if err != nil {
		return fmt.Errorf("storage: %q cannot be read: %w", p.set.Storage, err)
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.kind.first(), a.kind.first()), a.at.Compare(b.at))
	})
	var last time.Time
	for _, e := range entries {
		if e.at.After(last) {
			last = e.at
		}
	}
	now := p.clock.now()
	anchors := 0
	for _, e := range entries {
		err := p.replay(now.Add(e.at.Sub(last)), e)
		if err != nil {
			p.setAside(ctx, e.slot, err)
		} else if e.kind == kindAnchor {
			anchors++
		}
	}
	p.telemetry.ProcessorToolCorrectnessSpansResumed.Add(ctx, int64(anchors))
	p.waiting.Add(int64(anchors))
	p.logger.Info("open runs are kept in a storage", zap.Stringer("storage", p.set.Storage), zap.Int("resumed spans", anchors))
	p.relieve(now)
	return nil
}

// first is 1 for what others need in order to be replayed: the links of ordinary spans.
func (k kind) first() int {
	if k == kindLinks || k == kindClosed {
		return 1
	}
	return 0
}

// replay tells the processor what an entry tells, as it was told at that time.
func (p *Processor) replay(at time.Time, e entry) error {
	j := p.journal
	switch e.kind {
	case kindEvidence:
		return p.replayEvidence(at, e)
	case kindAnchor:
		return p.replayAnchor(at, e)
	case kindLinks:
		links, err := decodeLinks(e.body)
		if err != nil {
			return err
		}
		p.links.put(links)
		j.remove(j.links.push(e.slot, len(links.links))...)
		return nil
	case kindClosed:
		id, err := agentrun.TraceOf(e.body)
		if err != nil {
			return err
		}
		s := p.lock(keyOf(id))
		defer p.unlock(s)
		j.remove(j.closedTraces.push(e.slot, 1)...)
		return s.runs.RestoreClosed(e.body)
	case kindEcho:
		j.remove(j.echoes.push(e.slot, 1)...)
		return p.echoes.restore(e.body)
	case kindOutline:
		j.remove(j.outlines.push(e.slot, 1)...)
		return p.stitcher.RestoreOutline(e.body)
	}
	return fmt.Errorf("%w: there is no kind %d", errCorrupt, e.kind)
}

func (p *Processor) replayEvidence(at time.Time, e entry) error {
	id, err := agentrun.TraceOf(e.body)
	if err != nil {
		return err
	}
	s := p.lock(keyOf(id))
	restored, err := s.runs.Restore(at, e.body)
	if err == nil {
		s.runs.Note(id, e.slot)
	}
	p.unlock(s)
	if err != nil {
		return err
	}
	for _, callID := range restored.CallIDs {
		p.relate(callID, id)
	}
	if restored.Step {
		p.steps.Store(true)
	}
	return nil
}

func (p *Processor) replayAnchor(at time.Time, e entry) error {
	a, err := decodeAnchor(e.body)
	if err != nil {
		return err
	}
	a.Entry = e.slot
	s := p.lock(keyOf(a.Trace))
	defer p.unlock(s)
	s.runs.Hold(at, a)
	return nil
}

// slotsAtOnce is how many slots are read in one batch, and slotsBeyond how many empty ones in a row end the search
// where it is not known how many there are.
const (
	slotsAtOnce = 256
	slotsBeyond = 4 * slotsStep
)

// load reads all entries. What cannot be read is set aside, and its slot is not used.
func (p *Processor) load(ctx context.Context) ([]entry, error) {
	j := p.journal
	stored, err := j.client.Get(ctx, slotsKey)
	if err != nil {
		return nil, err
	}
	known := len(stored) == 4
	if known {
		j.reserved = binary.LittleEndian.Uint32(stored)
	}
	var entries []entry
	used := make(map[uint32]bool)
	empty := uint32(0)
	for slot := uint32(0); slot < j.reserved || !known && len(stored) > 0 && empty < slotsBeyond; slot += slotsAtOnce {
		found, err := j.read(ctx, slot)
		if err != nil {
			return nil, err
		}
		empty += slotsAtOnce
		for _, f := range found {
			empty, used[f.slot] = 0, true
			e, err := decodeEntry(f.data)
			if err != nil {
				p.setAside(ctx, f.slot, err)
				continue
			}
			e.slot = f.slot
			entries = append(entries, e)
		}
	}
	return entries, j.vacate(ctx, used)
}

// setAside keeps a record that cannot be read out of the way, and counts it. One of another version stays as it is, for
// that version to read.
func (p *Processor) setAside(ctx context.Context, slot uint32, why error) {
	reason := "corrupt"
	if errors.Is(why, errVersion) {
		reason = "version"
	} else if err := p.journal.moveAside(ctx, slot); err != nil {
		why = errors.Join(why, err)
	}
	p.telemetry.ProcessorToolCorrectnessRecordsSetAside.Add(ctx, 1, labels(attribute.String("reason", reason)))
	p.logger.Error("a stored record cannot be read, and is set aside; what it tells of is missing",
		zap.Stringer("storage", p.set.Storage), zap.String("key", keyOfSlot(slot)), zap.String("reason", reason), zap.Error(why))
}

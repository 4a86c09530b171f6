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
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/mcpspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/summaries"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// openJournal opens the storage for open runs in the storage extension.
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
	p.journal = journal.New(client, p.run.Settings, journal.Capacities{
		Parents: p.parents.Slots(), MCPSpans: mcpspans.Max, ClosedTraces: p.run.MaxClosed * shardCount, Summaries: summaries.Max,
	})
	return nil
}

// resume continues the runs that were open when the processor ended last. Their time continues where the last record was
// written, because no call could arrive in between.
func (p *Processor) resume(ctx context.Context) error {
	if p.journal == nil {
		return nil
	}
	damaged := false
	records, err := p.journal.Load(ctx, func(slot uint32, why error) {
		damaged = true
		p.quarantine(ctx, slot, why)
	})
	if err != nil {
		return fmt.Errorf("storage: %q cannot be read: %w", p.set.Storage, err)
	}
	now := p.clock.now()
	var last time.Time
	for _, e := range records { // one from the future comes from a wrong clock
		if (e.Kind == journal.KindEvidence || e.Kind.IsHeldSpan()) && e.At.After(last) && !e.At.After(now) {
			last = e.At
		}
	}
	slices.SortStableFunc(records, func(a, b journal.Record) int {
		return cmp.Or(a.Kind.ReplayOrder()-b.Kind.ReplayOrder(), a.At.Compare(b.At))
	})
	anchors := 0
	for _, e := range records {
		switch err := p.replay(now.Add(min(0, e.At.Sub(last))), e, damaged); {
		case err != nil:
			damaged = true
			p.quarantine(ctx, e.Slot, err)
		case e.Kind.IsHeldSpan():
			anchors++
		}
	}
	p.journal.TidyOrigins()
	p.measureCorrelator()
	if damaged || len(records) == 0 { // earlier runs are not known, or not all of them
		p.began = now
	}
	p.telemetry.ProcessorToolCorrectnessSpansResumed.Add(ctx, int64(anchors))
	p.waiting.Add(int64(anchors))
	p.logger.Info("open runs are kept in a storage", zap.Stringer("storage", p.set.Storage), zap.Int("resumed spans", anchors))
	p.evictOverLimit(now)
	return nil
}

// replay applies a record with the time at which it was written. If records are damaged, any run may lack calls.
func (p *Processor) replay(at time.Time, e journal.Record, damaged bool) (err error) {
	j := p.journal
	switch e.Kind {
	case journal.KindEvidence:
		return p.replayEvidence(at, e)
	case journal.KindAnchor, journal.KindReferring:
		return p.replayAnchor(at, e, damaged)
	case journal.KindOrigin:
		return j.ResumeOrigin(e)
	case journal.KindParents, journal.KindParentsByProcess:
		links, err := e.Parents()
		if err == nil {
			p.parents.Add(uint32(at.Unix()), links)
			j.Queue(e, len(links.Links))
		}
		return err
	case journal.KindClosed:
		if err = p.replayClosed(e); err == nil {
			j.Queue(e, 1)
		}
		return err
	case journal.KindMCPSpan:
		if err = p.mcpSpans.Restore(pcommon.NewTimestampFromTime(at), e.Body); err == nil {
			j.Queue(e, 1)
		}
		return err
	case journal.KindSummary:
		if err = p.correlator.RestoreSummary(at, e.Body); err == nil {
			j.Queue(e, 1)
		}
		return err
	}
	// The checksum holds, so a later version wrote it. It stays in its slot, for that version to read.
	return fmt.Errorf("%w: this one has no kind %d", journal.ErrVersion, e.Kind)
}

func (p *Processor) replayClosed(e journal.Record) error {
	id, err := record.TraceOf(e.Body)
	if err != nil {
		return err
	}
	s := p.lock(lookup.KeyOf(id))
	defer p.unlock(s)
	return s.runs.RestoreClosed(e.Body)
}

func (p *Processor) replayEvidence(at time.Time, e journal.Record) error {
	id, err := record.TraceOf(e.Body)
	if err != nil {
		return err
	}
	s := p.lock(lookup.KeyOf(id))
	restored, err := s.runs.Restore(at, e.Body)
	if err == nil {
		s.runs.TrackRecord(id, e.Slot)
	}
	p.unlock(s)
	if err != nil {
		return err
	}
	if !p.set.Run.WholeTrace {
		var sightings []lookup.Sighting
		for _, callID := range restored.CallIDs {
			sightings = p.callIDs.AppendSighting(sightings, callID, &agentrun.Span{Trace: id, End: pcommon.NewTimestampFromTime(at)})
		}
		p.markShared(sightings)
	}
	for _, process := range restored.StepSenders {
		p.stepSenders.Add(pcommon.NewTimestampFromTime(at), process)
	}
	return nil
}

func (p *Processor) replayAnchor(at time.Time, e journal.Record, damaged bool) error {
	a, err := p.journal.AnchorOf(e)
	if err != nil {
		return err
	}
	if a.Kind != agentrun.Tool { // an older build may have stored it
		p.evaluator.Clean(a.Held)
	}
	p.origins.Add(heldspans.Use(a.Origin))
	s := p.lock(lookup.KeyOf(a.Trace))
	defer p.unlock(s)
	a.Record, a.Partial = e.Slot, damaged || s.runs.TakesPlace(a, at)
	s.runs.Reopen(a)
	s.runs.Hold(at, a)
	return nil
}

// quarantine moves a record that cannot be read out of the way, and counts it. A record of another version stays, for that
// version to read.
func (p *Processor) quarantine(ctx context.Context, slot uint32, why error) {
	reason := "corrupt"
	if errors.Is(why, journal.ErrVersion) {
		reason = "version"
	} else if err := p.journal.Quarantine(ctx, slot); err != nil {
		why = errors.Join(why, err)
	}
	p.metrics.SetAside(ctx, reason)
	p.logger.Error("a stored record cannot be read; the storage keeps it, and its spans and calls are missing",
		zap.Stringer("storage", p.set.Storage), zap.String("key", journal.KeyOfSlot(slot)), zap.String("reason", reason), zap.Error(why))
}

package tracebuffer

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
)

// AddClosed stores [Evidence] that the run of an accepted anchor has closed, while there are claims left, that is, while other
// runs of the trace may have to be closed again. The record goes with those of the checkpoint.
func AddClosed(r *agentrun.Checkpoint, set *Settings, a *agentrun.Anchor, now time.Time, store func(evidence []byte) (record uint32)) {
	if r = r.Current(); r == nil {
		return
	}
	e := NewEvidence(set, a.Trace)
	e.closedRun(closedruns.Run{Span: a.Span, Kind: a.Kind, Reason: agentrun.ByAnchor, At: now.UnixNano(), Name: hashOfName(a.Agent)})
	r.Records = append(r.Records, store(e.data))
}

// TrackRecord notes that the caller stored evidence of a trace as a record of that number. A trace that is not open has no
// records.
func (b *Buffer) TrackRecord(id pcommon.TraceID, entry uint32) {
	if t, open := b.lookUp(id); open {
		t.records = append(t.records, entry)
		b.resize(t, recordNumberBytes)
	}
}

// UntrackRecord takes back a record that could not be stored. It returns false if the trace has been examined since it was
// noted.
func (b *Buffer) UntrackRecord(id pcommon.TraceID, entry uint32) bool {
	t, open := b.lookUp(id)
	if !open {
		return false
	}
	i := slices.Index(t.records, entry)
	if i < 0 {
		return false
	}
	t.records = slices.Delete(t.records, i, i+1)
	b.resize(t, -recordNumberBytes)
	return true
}

// IsTracked reports whether the last record of a trace has that number. A record from before the last closing is not the
// trace's any more.
func (b *Buffer) IsTracked(id pcommon.TraceID, entry uint32) bool {
	t, open := b.lookUp(id)
	return open && len(t.records) > 0 && t.records[len(t.records)-1] == entry
}

// checkpoint gives the checkpoint for a closing of t, which will be retired or not, to what it brought out, and to h.
func (b *Buffer) checkpoint(t *trace, h *agentrun.ClosedBatch, runs []agentrun.Run, unjudged []agentrun.Anchor, retires bool) {
	if !b.set.Stored {
		return
	}
	r := agentrun.NewCheckpoint(t.records, t.checkpoint, t.lastSeen)
	t.remainderSize = 0
	if retires {
		r.Closed = t.closed(&b.set)
	} else {
		r.Remainder = t.remainder(&b.set)
		t.remainderSize = len(r.Remainder)
	}
	t.records, t.checkpoint = nil, r
	h.Checkpoints = append(h.Checkpoints, r)
	for i := range runs {
		run := &runs[i]
		if len(run.Anchors) == 0 {
			run.Checkpoints = []*agentrun.Checkpoint{r}
			r.AddRun()
		}
		r.AddSpans(run.Anchors)
		r.AddSpans(run.Companions)
	}
	r.AddSpans(unjudged)
}

// checkpointsOf are the claims of runs that are no runs of their own any more.
func checkpointsOf(runs []agentrun.Run) (all []*agentrun.Checkpoint) {
	for i := range runs {
		all = append(all, runs[i].Checkpoints...)
	}
	return all
}

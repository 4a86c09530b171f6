package tracebuffer

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
)

// AddClosed stores [Evidence] that the run of an accepted anchor has closed. It does so while the checkpoint waits for more,
// that is, while other runs of the trace may have to close again. The record becomes obsolete with the checkpoint's.
func AddClosed(r *agentrun.Checkpoint, set *Settings, a *agentrun.Anchor, now time.Time, store func(evidence []byte) (record uint32)) {
	if r = r.Current(); r == nil {
		return
	}
	e := record.NewEvidence(&set.Settings, a.Trace)
	e.AddClosedRun(closedruns.Run{Span: a.Span, Kind: a.Kind, Reason: agentrun.ByAnchor, At: now.UnixNano(), Name: compare.NameHash(a.Agent)})
	r.Records = append(r.Records, store(e.Bytes()))
}

// TrackRecord says that the caller stored evidence of a trace as the record of that number. A trace that is not open tracks
// none.
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

// IsTracked reports whether the last record of a trace has that number. A closing ends the tracking of all records before
// it.
func (b *Buffer) IsTracked(id pcommon.TraceID, entry uint32) bool {
	t, open := b.lookUp(id)
	return open && len(t.records) > 0 && t.records[len(t.records)-1] == entry
}

// checkpoint makes the checkpoint for a closing of t, and gives it to what was closed and to h.
func (b *Buffer) checkpoint(t *trace, h *agentrun.ClosedBatch, runs []agentrun.Run, passthrough []agentrun.Anchor, retires bool) {
	if !b.set.Stored {
		return
	}
	r := agentrun.NewCheckpoint(t.records, t.checkpoint, t.lastSeen)
	t.remainderSize = 0
	if retires {
		r.Closed = t.closed(b.set)
	} else {
		r.Remainder = t.remainder(b.set)
		t.remainderSize = int32(len(r.Remainder))
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
	r.AddSpans(passthrough)
}

// remainder is the evidence of everything that is known about t, without the waiting anchors.
func (t *trace) remainder(set *Settings) []byte {
	e := record.NewEvidence(&set.Settings, t.id)
	has := record.Presence{Truncated: t.truncated, Root: t.kinds[agentrun.Root], Contradicted: t.contradicted}
	if t.processTable.IsEmpty() { // else each process has its own
		has.Called, has.Agent, has.Workflow = t.called, t.kinds[agentrun.Agent], t.kinds[agentrun.Workflow]
	}
	e.AddPresence(has)
	for p, is := range t.processTable.All {
		e.AddPresence(record.Presence{
			Process: p, Called: is&byprocess.HasCalls != 0, SharesCalls: is&byprocess.SharesCalls != 0, Agent: is&byprocess.HasAgent != 0, Workflow: is&byprocess.HasWorkflow != 0,
		})
	}
	if t.cut > 0 {
		e.AddCut(t.cut)
	}
	for by, id := range t.conversations.All {
		e.AddConversation(by, id)
	}
	for _, r := range t.closedRuns {
		e.AddClosedRun(r)
	}
	t.addLinks(e)
	for _, s := range t.awaitedAnchors {
		e.AddAgentSpan(s.Span, s.kind)
	}
	for above := range t.inferredAgents.All {
		e.AddInferredAgent(above)
	}
	for above, name := range t.stepNames.All {
		e.AddStepName(above, name)
	}
	for i := range t.calls {
		e.AddPendingCall(&t.calls[i])
	}
	for i := range t.responses {
		e.AddResponse(t.responses[i])
	}
	for id, o := range t.toolResults.ByCall() {
		e.AddToolResult(id.Process, o)
	}
	return e.Bytes()
}

// addLinks adds the links of t to evidence, grouped by process.
func (t *trace) addLinks(e *record.Evidence) {
	for _, l := range t.parents.All() {
		e.AddParent(agentrun.Span{ID: l.ID, Parent: l.Parent, Process: l.Process})
	}
	for span := range t.parents.Disputed {
		e.AddDispute(span)
	}
}

// closed is the evidence that recognizes late spans of a retired trace. It is empty if there is none.
func (t *trace) closed(set *Settings) []byte {
	if len(t.closedRuns) == 0 {
		return nil
	}
	e := record.NewEvidence(&set.Settings, t.id)
	for _, r := range t.closedRuns {
		e.AddClosedRun(r)
	}
	return e.Bytes()
}

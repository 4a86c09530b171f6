package journal

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
)

// A Tx is what one batch writes into the journal. All of it is written at once, before the batch is acknowledged.
type Tx struct {
	journal *Journal
	number  uint64
	// records has the evidence of each trace, and at the place of a trace among them. current is the evidence of the current
	// span.
	records  []txRecord
	at       map[pcommon.TraceID]int
	current  *record.Evidence
	mcpSpans [][]byte
}

type txRecord struct {
	trace    pcommon.TraceID
	slot     uint32
	evidence *record.Evidence
}

// Traces are open traces that know the numbers of their records. A trace that is not open tracks no record.
type Traces interface {
	TrackRecord(id pcommon.TraceID, slot uint32)
	IsTracked(id pcommon.TraceID, slot uint32) bool
}

// Evidence is where the caller records the current span. The caller resets it for each span, and fills it before [Tx.Add].
// It is nil without a storage.
func (g *Tx) Evidence() *record.Evidence {
	if g == nil {
		return nil
	}
	return g.current
}

// IsEmpty reports whether the transaction has no evidence.
func (g *Tx) IsEmpty() bool { return len(g.records)+len(g.mcpSpans) == 0 }

// TakeBack gives back the slots of a transaction that was not written. untrack has a trace forget its record, and reports
// whether the trace had it.
func (g *Tx) TakeBack(untrack func(id pcommon.TraceID, slot uint32) bool) {
	for i := range g.records {
		if d := &g.records[i]; untrack(d.trace, d.slot) {
			g.journal.free(d.slot)
		}
	}
}

// Add adds the evidence of the current span, after the span was added to runs. The caller must hold the shard lock of runs.
func (g *Tx) Add(runs Traces, id pcommon.TraceID) {
	if g == nil {
		return
	}
	if d := g.record(runs, id); d != nil {
		d.evidence.Add(g.current)
	}
}

// AddParent adds the link of an ordinary span of an agentic trace.
func (g *Tx) AddParent(runs Traces, s agentrun.Span) {
	if g == nil {
		return
	}
	if d := g.record(runs, s.Trace); d != nil {
		d.evidence.AddParent(s)
	}
}

// record returns the record with the evidence of a trace. It is nil if the trace is not open, because nothing needs to be
// stored then.
func (g *Tx) record(runs Traces, id pcommon.TraceID) *txRecord {
	if i, ok := g.at[id]; ok && runs.IsTracked(id, g.records[i].slot) {
		return &g.records[i]
	}
	slot := g.journal.slot()
	runs.TrackRecord(id, slot)
	if !runs.IsTracked(id, slot) {
		g.journal.free(slot)
		return nil
	}
	g.at[id] = len(g.records)
	g.records = append(g.records, txRecord{id, slot, record.NewEvidence(&g.journal.run, id)})
	return &g.records[len(g.records)-1]
}

// AddMCPSpan adds the evidence of an MCP span.
func (g *Tx) AddMCPSpan(from agentrun.Process, c agentrun.Call) {
	if g != nil {
		g.mcpSpans = append(g.mcpSpans, record.MCPEvidence(&g.journal.run, from, c))
	}
}

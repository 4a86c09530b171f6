package processor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/tracebuffer"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// tx is what one batch writes into the journal. All of it is written at once, before the batch is acknowledged.
type tx struct {
	journal *journal
	number  uint64
	// records are the evidence of the batch by trace, and at their places; told is that of the span in hand.
	records  []txRecord
	at       map[pcommon.TraceID]int
	current  *tracebuffer.Evidence
	mcpSpans [][]byte
}

type txRecord struct {
	trace    pcommon.TraceID
	slot     uint32
	evidence *tracebuffer.Evidence
}

// read puts what is known of a span into words. A call or a response that came late is not told.
func (g *tx) read(k *recognized, late bool) {
	if g == nil {
		return
	}
	g.current.Reset(k.span.Trace)
	switch k.reading.Role {
	case dialect.Session:
		g.current.AddParent(k.span)
	case dialect.Step:
		g.current.AddStep(k.span)
	case dialect.ModelCall:
		if !late {
			g.current.AddResponse(k.response)
		}
	case dialect.ToolCall:
		if !late {
			g.current.AddCall(callOf(k))
		}
	}
	if kind := kindOf(&k.reading); kind != agentrun.Root {
		g.current.AddAgentSpan(k.span, kind)
	}
	if k.reading.Conversation != "" {
		g.current.AddConversation(k.span.Process, k.reading.Conversation)
	}
}

// add writes down what was read of a span, or of an ordinary one its link, after runs was told of it. The caller has
// the shard of runs.
func (g *tx) add(runs *tracebuffer.Buffer, id pcommon.TraceID) {
	if g == nil {
		return
	}
	if d := g.record(runs, id); d != nil {
		d.evidence.Add(g.current)
	}
}

// addParent writes down the link of an ordinary span of an agentic trace.
func (g *tx) addParent(runs *tracebuffer.Buffer, s agentrun.Span) {
	if g == nil {
		return
	}
	if d := g.record(runs, s.Trace); d != nil {
		d.evidence.AddParent(s)
	}
}

// record is where the evidence of a trace stands. It is nil if the trace is not open, so that nothing is to be told.
func (g *tx) record(runs *tracebuffer.Buffer, id pcommon.TraceID) *txRecord {
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
	g.records = append(g.records, txRecord{id, slot, tracebuffer.NewEvidence(&g.journal.run, id)})
	return &g.records[len(g.records)-1]
}

// addMCPSpan writes down what a protocol told of a call.
func (g *tx) addMCPSpan(from agentrun.Process, c agentrun.Call) {
	if g != nil {
		g.mcpSpans = append(g.mcpSpans, tracebuffer.MCPEvidence(&g.journal.run, from, c))
	}
}

package processor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// page is what one batch writes into the journal. All of it is written at once, before the batch is acknowledged.
type page struct {
	journal *journal
	number  uint64
	// drafts are the evidence of the batch by trace, and at their places; told is that of the span in hand.
	drafts []draft
	at     map[pcommon.TraceID]int
	told   *agentrun.Evidence
	echoes [][]byte
}

type draft struct {
	trace    pcommon.TraceID
	slot     uint32
	evidence *agentrun.Evidence
}

// read puts what is known of a span into words. A call or an answer that came late is not told.
func (g *page) read(k *known, late bool) {
	if g == nil {
		return
	}
	g.told.Reset(k.span.Trace)
	switch k.reading.Role {
	case dialect.Session:
		g.told.AddParent(k.span)
	case dialect.Step:
		g.told.AddStep(k.span)
	case dialect.ModelCall:
		if !late {
			g.told.AddResponse(k.answer)
		}
	case dialect.ToolCall:
		if !late {
			g.told.AddCall(callOf(k))
		}
	}
	if tier := tierOf(&k.reading); tier != agentrun.Root {
		g.told.AddAgentSpan(k.span, tier)
	}
	if k.reading.Conversation != "" {
		g.told.AddConversation(k.span.Process, k.reading.Conversation)
	}
}

// note writes down what was read of a span, or of an ordinary one its link, after runs was told of it. The caller has
// the shard of runs.
func (g *page) note(runs *agentrun.Buffer, id pcommon.TraceID) {
	if g == nil {
		return
	}
	if d := g.draft(runs, id); d != nil {
		d.evidence.Add(g.told)
	}
}

// link writes down the link of an ordinary span of an agentic trace.
func (g *page) link(runs *agentrun.Buffer, s agentrun.Span) {
	if g == nil {
		return
	}
	if d := g.draft(runs, s.Trace); d != nil {
		d.evidence.AddParent(s)
	}
}

// draft is where the evidence of a trace stands. It is nil if the trace is not open, so that nothing is to be told.
func (g *page) draft(runs *agentrun.Buffer, id pcommon.TraceID) *draft {
	if i, ok := g.at[id]; ok && runs.IsTracked(id, g.drafts[i].slot) {
		return &g.drafts[i]
	}
	slot := g.journal.slot()
	runs.TrackRecord(id, slot)
	if !runs.IsTracked(id, slot) {
		g.journal.free(slot)
		return nil
	}
	g.at[id] = len(g.drafts)
	g.drafts = append(g.drafts, draft{id, slot, agentrun.NewEvidence(&g.journal.run, id)})
	return &g.drafts[len(g.drafts)-1]
}

// echo writes down what a protocol told of a call.
func (g *page) echo(from agentrun.Process, c agentrun.Call) {
	if g != nil {
		g.echoes = append(g.echoes, agentrun.MCPEvidence(&g.journal.run, from, c))
	}
}

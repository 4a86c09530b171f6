package tracebuffer

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A grower fills a trace of n anchors and n calls.
type grower struct {
	*fixture
	n int
}

func (g grower) span(id, parent pcommon.SpanID, start, end int) agentrun.Span {
	return agentrun.Span{Trace: pcommon.TraceID{1}, ID: id, Parent: parent, Start: pcommon.Timestamp(start), End: pcommon.Timestamp(end)}
}

func (g grower) anchor(kind agentrun.AnchorKind, s agentrun.Span) {
	g.AddAgentSpan(g.now, s, kind)
	g.Hold(g.now, agentrun.Anchor{Span: s, Kind: kind, Held: ptrace.NewSpan(), Size: 100})
	g.held++
}

func (g grower) call(i int, parent pcommon.SpanID, start, end int) {
	g.AddCall(g.now, agentrun.Call{Call: scoring.Call{Name: "search"}, Span: g.span(runtest.SpanOf('c', i), parent, start, end), CallID: "call_" + strconv.Itoa(i)})
}

func (g grower) answer(i int, parent pcommon.SpanID, start, end int) {
	g.AddResponse(g.now, agentrun.ModelResponse{Span: g.span(runtest.SpanOf('m', i), parent, start, end), MessagesOnly: true, Requests: []agentrun.ToolRequest{{ID: "call_" + strconv.Itoa(i), Name: "search"}}})
}

// nested adds anchors, each within the one before.
func (g grower) nested(kind agentrun.AnchorKind) {
	for i := range g.n {
		parent := pcommon.SpanID{}
		if i > 0 {
			parent = runtest.SpanOf('a', i-1)
		}
		g.anchor(kind, g.span(runtest.SpanOf('a', i), parent, i, 3*g.n-i))
	}
}

func callsOf(h agentrun.ClosedBatch) (n int) {
	for i := range h.Runs {
		n += len(h.Runs[i].Calls)
	}
	return n
}

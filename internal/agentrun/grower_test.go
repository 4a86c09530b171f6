package agentrun

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A grower fills a trace of n anchors and n calls.
type grower struct {
	*bench
	n int
}

func spanOf(kind byte, i int) pcommon.SpanID {
	return pcommon.SpanID{kind, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}
}

func (g grower) span(id, parent pcommon.SpanID, start, end int) Span {
	return Span{Trace: pcommon.TraceID{1}, ID: id, Parent: parent, Start: pcommon.Timestamp(start), End: pcommon.Timestamp(end)}
}

func (g grower) anchor(tier Tier, s Span) {
	g.Sight(g.now, s, tier)
	g.Hold(g.now, Anchor{Span: s, Tier: tier, Held: ptrace.NewSpan(), Size: 100})
	g.held++
}

func (g grower) call(i int, parent pcommon.SpanID, start, end int) {
	g.Call(g.now, Call{Call: scoring.Call{Name: "search"}, Span: g.span(spanOf('c', i), parent, start, end), CallID: "call_" + strconv.Itoa(i)})
}

func (g grower) answer(i int, parent pcommon.SpanID, start, end int) {
	g.Answer(g.now, Answer{Span: g.span(spanOf('m', i), parent, start, end), Sole: true, Asked: []Asked{{ID: "call_" + strconv.Itoa(i), Name: "search"}}})
}

// nested adds anchors each of which is within the one before.
func (g grower) nested(tier Tier) {
	for i := range g.n {
		parent := pcommon.SpanID{}
		if i > 0 {
			parent = spanOf('a', i-1)
		}
		g.anchor(tier, g.span(spanOf('a', i), parent, i, 3*g.n-i))
	}
}

func callsOf(h Harvest) (n int) {
	for i := range h.Runs {
		n += len(h.Runs[i].Calls)
	}
	return n
}

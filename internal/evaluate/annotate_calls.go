package evaluate

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// callVerdicts has what each metric says of the calls of one run, in order. It says nothing if it has no score.
type callVerdicts struct {
	at   map[callSpan]int // the calls, by their spans
	keys []*metricKeys
	said [][]scoring.Match
}

// callSpan is the span of a call. A run that was correlated has calls of several traces.
type callSpan struct {
	trace pcommon.TraceID
	id    pcommon.SpanID
}

// annotateCalls writes on the spans of a run's calls what the metrics say of each. If a copy of the run's own span is also
// the span of a call, it is annotated too. A run without its own span gets nothing, because no span would say that the run
// is not complete.
func (e *Evaluator) annotateCalls(r *Report, copies []evidence.Held) {
	if !e.set.AnnotateCalls {
		return
	}
	own := copies[0].Span
	if !slices.ContainsFunc(r.Run.Calls, func(c runs.Call) bool { return c.ID == own.ID && c.Trace == own.Trace }) {
		copies = nil
	}
	if len(copies) == 0 && !slices.ContainsFunc(r.Run.Companions, isCall) {
		return
	}
	v := callVerdicts{make(map[callSpan]int, len(r.Run.Calls)), e.keys, make([][]scoring.Match, len(e.keys))}
	for i := range r.Run.Calls {
		c := &r.Run.Calls[i]
		if c.Source != runs.FromModel && !c.ID.IsEmpty() {
			v.at[callSpan{c.Trace, c.ID}] = i
		}
	}
	for i := range r.Results {
		said := slices.DeleteFunc(r.Results[i].Verdict.Matches(), func(m scoring.Match) bool { return m.Called < 0 })
		slices.SortFunc(said, func(a, b scoring.Match) int { return cmp.Compare(a.Called, b.Called) })
		v.said[r.Results[i].Index] = said
	}
	for i := range copies {
		v.annotate(copies[i].Data)
	}
	for i := range r.Run.Companions {
		if a := &r.Run.Companions[i]; isCall(*a) {
			v.annotate(a.Data)
			heldspans.Weigh(a)
		}
	}
}

// isCall reports whether a held span is that of a call.
func isCall(a evidence.Held) bool { return a.Kind == evidence.Tool }

// annotate writes the verdicts on the span of a call. Where a metric says nothing, and if the run does not count the call, what an
// earlier processor wrote is removed.
func (v *callVerdicts) annotate(span ptrace.Span) {
	at, counts := v.at[callSpan{span.TraceID(), span.SpanID()}]
	m := span.Attributes()
	if counts {
		m.EnsureCapacity(m.Len() + 2*len(v.keys))
	}
	for i, keys := range v.keys {
		m.Remove(keys.CallCredit)
		if !counts || at >= len(v.said[i]) || v.said[i][at].Class == scoring.CallUncertain {
			m.Remove(keys.CallVerdict)
			continue
		}
		said := &v.said[i][at]
		m.PutStr(keys.CallVerdict, said.Class.String())
		if said.Credit > 0 {
			m.PutDouble(keys.CallCredit, said.Credit)
		}
	}
}

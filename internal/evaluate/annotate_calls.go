package evaluate

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// callVerdicts has what the metrics say of the calls of one run, by the spans of the calls.
type callVerdicts struct {
	at      map[callSpan]int
	results []callResults
}

// callSpan is the span of a call. A run that was correlated has calls of several traces.
type callSpan struct {
	trace pcommon.TraceID
	id    pcommon.SpanID
}

// callResults has what one metric says of each call of the run, in order. It is empty if the metric has no score.
type callResults struct {
	keys  *metricKeys
	calls []scoring.CallVerdict
}

// annotateCalls writes on the spans of a run's calls what the metrics say of each. If a copy of the run's own span is also
// the span of a call, it is annotated too. A run without its own span gets nothing, because no span would say that the run
// is not complete.
func (e *Evaluator) annotateCalls(r *Report, copies []evidence.Held) {
	if !e.set.AnnotateCalls || !r.Matched || len(copies) == 0 {
		return
	}
	own := copies[0].Span
	if !slices.ContainsFunc(r.Run.Calls, func(c runs.Call) bool { return c.ID == own.ID && c.Trace == own.Trace }) {
		copies = nil
	}
	if len(copies) == 0 && !slices.ContainsFunc(r.Run.Companions, isCall) {
		return
	}
	v := callVerdicts{at: make(map[callSpan]int, len(r.Run.Calls))}
	for i := range r.Run.Calls {
		c := &r.Run.Calls[i]
		if c.Source != runs.FromModel && !c.ID.IsEmpty() {
			v.at[callSpan{c.Trace, c.ID}] = i
		}
	}
	for i := range r.Results {
		v.results = append(v.results, callResults{r.Results[i].keys, r.Results[i].Verdict.OfCalls()})
	}
	for keys := range e.without(r) { // the metric says nothing, so what is there is removed
		v.results = append(v.results, callResults{keys: keys})
	}
	for i := range copies {
		v.annotate(copies[i].Data)
	}
	for i := range r.Run.Companions {
		if a := &r.Run.Companions[i]; isCall(*a) {
			v.annotate(a.Data)
			heldspans.Grow(a, e.sizes.mostOnCall, 2*len(e.keys))
		}
	}
}

// isCall reports whether a held span is that of a call.
func isCall(a evidence.Held) bool { return a.Kind == evidence.Tool }

// annotate writes the verdicts on the span of a call. If the run does not count the call, nothing is written, and what an
// earlier processor wrote is removed.
func (v *callVerdicts) annotate(span ptrace.Span) {
	at, counts := v.at[callSpan{span.TraceID(), span.SpanID()}]
	m := span.Attributes()
	if counts {
		m.EnsureCapacity(m.Len() + 2*len(v.results))
	}
	for i := range v.results {
		keys := v.results[i].keys
		m.Remove(keys.CallCredit)
		if !counts || at >= len(v.results[i].calls) || v.results[i].calls[at].Class == scoring.CallUncertain {
			m.Remove(keys.CallVerdict)
			continue
		}
		said := &v.results[i].calls[at]
		m.PutStr(keys.CallVerdict, said.Class.String())
		if said.Credit > 0 {
			m.PutDouble(keys.CallCredit, said.Credit)
		}
	}
}

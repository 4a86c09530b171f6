package processor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The attributes of a tool call's span, behind the metric's name.
const (
	attrCallVerdict = ".call.verdict"
	attrCallCredit  = ".call.credit"
)

// callVerdicts are what the metrics say of the calls of one run, by the spans of the calls. The zero value says nothing.
type callVerdicts struct {
	at      map[callSpan]int
	results []callResults
}

// callSpan is the span of a call. A run that was put together has calls of several traces.
type callSpan struct {
	trace pcommon.TraceID
	id    pcommon.SpanID
}

// callResults are what one metric says of each call of the run, in order; nothing where it has no score.
type callResults struct {
	labels *verdictLabels
	calls  []scoring.CallVerdict
}

// callVerdicts asks the metrics once for all spans of a run. Of one without an anchor nothing is written, because no span
// would say that it is not complete.
func (p *Processor) callVerdicts(r *Report) (v callVerdicts) {
	if !p.set.AnnotateCalls || !r.Matched || !tellsCalls(&r.Run) {
		return v
	}
	v.at = make(map[callSpan]int, len(r.Run.Calls))
	for i := range r.Run.Calls {
		if c := &r.Run.Calls[i]; !c.Spoken() {
			v.at[callSpan{c.Trace, c.ID}] = i
		}
	}
	for i := range r.Results {
		v.results = append(v.results, callResults{r.Results[i].labels, r.Results[i].Verdict.OfCalls()})
	}
	return v
}

// tellsCalls reports whether a span of the run may be that of a call.
func tellsCalls(run *agentrun.Run) bool {
	switch {
	case len(run.Anchors) == 0:
		return false
	case len(run.Companions) > 0:
		return true
	}
	return slices.ContainsFunc(run.Calls, func(c agentrun.Call) bool { return c.ID == run.Anchors[0].ID })
}

// annotate writes the verdicts on a span, if it is that of a call.
func (v *callVerdicts) annotate(a *agentrun.Anchor, m pcommon.Map) {
	at, ok := v.at[callSpan{a.Trace, a.ID}]
	if !ok {
		return
	}
	m.EnsureCapacity(m.Len() + 2*len(v.results))
	for i := range v.results {
		keys := v.results[i].labels
		m.Remove(keys.callCredit)
		if at >= len(v.results[i].calls) || v.results[i].calls[at].Fate == scoring.CallUncertain {
			m.Remove(keys.callVerdict)
			continue
		}
		said := &v.results[i].calls[at]
		m.PutStr(keys.callVerdict, said.Fate.String())
		if said.Credit > 0 {
			m.PutDouble(keys.callCredit, said.Credit)
		}
	}
}

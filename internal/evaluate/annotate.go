package evaluate

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/langwatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// maxNames bounds the lists of names on a span, and maxName each of them, in bytes. [scoring.Verdict.Reason] bounds a reason.
const (
	maxNames = 128
	maxName  = 256
)

// annotate writes the report on a copy of the run's anchor. It changes nothing if the run met no expectation. named says
// that this is the span that conditions read, which has the agent's name as its first attribute. It returns how many bytes
// it wrote on the wire, and how many attributes and elements.
func (e *Evaluator) annotate(v *Evaluation, span pcommon.Map, named bool) (wire, parts int) {
	r := &v.Report
	if !r.Matched {
		return 0, 0
	}
	more := attributes.Most(len(r.Results), e.rules.conditions.apart)
	e.reserved.RemoveFrom(span)
	apart := e.run.Agent != attributes.Agent
	if apart && v.named {
		span.Remove(attributes.Agent) // conditions have read it
	}
	m := &v.writer
	m.EnsureCapacity(span.Len() + more)
	for key, value := range span.All() {
		value.MoveTo(m.AppendEmpty(key))
	}
	defer m.UnsafeIntoMap(span) // ours are new: all that were there have been removed
	wire = e.sizes.run + len(r.Expectation)
	agent := r.Run.Anchors[0].Agent
	if named {
		more--
		wire += e.putAgent(m, agent)
	}
	for i := range r.Results {
		res := &r.Results[i]
		annotateResult(m, res)
		wire += res.keys.wire + len(res.Reason)
		if apart {
			m.AppendEmpty(res.keys.Run).SetStr(e.set.Prefix)
			wire += len(res.keys.Run) + len(e.set.Prefix) + valueWire
			more++
		}
		if res.Expectation != r.Expectation {
			m.AppendEmpty(res.keys.Expectation).SetStr(res.Expectation)
			wire += len(res.Expectation)
		}
	}
	if !named {
		wire += e.putAgent(m, agent)
	}
	m.AppendEmpty(e.run.Expectation).SetStr(r.Expectation)
	if r.Case != "" {
		m.AppendEmpty(e.run.Case).SetStr(r.Case)
		wire += len(r.Case)
	}
	wire += putCalled(m, e.run.Called, r.Run.Calls)
	if len(r.Run.Rejected) > 0 {
		wire += putCalled(m, e.run.Rejected, r.Run.Rejected)
	}
	wire += putNames(m, e.run.Expected, r.Expected)
	wire += putNames(m, e.run.Missing, r.Missing)
	wire += putNames(m, e.run.Unexpected, r.Unexpected)
	m.AppendEmpty(e.run.Complete).SetBool(r.Run.Doubts.Complete())
	why := r.Run.Doubts.Names()
	if why != nil {
		wire += putNames(m, e.run.IncompleteBecause, why)
	}
	m.AppendEmpty(e.run.ClosedBy).SetStr(r.Run.ClosedBy.String())
	m.AppendEmpty(e.run.Config).SetStr(e.rules.Fingerprint)
	return wire, more + len(why) + len(r.Run.Calls) + len(r.Run.Rejected) + len(r.Expected) + len(r.Missing) + len(r.Unexpected)
}

// putAgent writes the agent's name in the form to show. Conditions may have read the name as it was recorded.
func (e *Evaluator) putAgent(m *xpdata.MapBuilder, agent string) (wire int) {
	if agent == "" {
		return 0
	}
	shown := ShownName(agent)
	m.AppendEmpty(e.run.Agent).SetStr(shown)
	return len(shown)
}

// without are the metrics that have no result.
func (e *Evaluator) without(r *Report) iter.Seq[*metricKeys] {
	return func(yield func(*metricKeys) bool) {
		rest := r.Results // in the order of the metrics
		for i := range e.keys {
			if len(rest) > 0 && rest[0].keys == e.keys[i] {
				rest = rest[1:]
			} else if !yield(e.keys[i]) {
				return
			}
		}
	}
}

// annotateResult writes what a metric says. It replaces what an earlier processor wrote for the metric.
func annotateResult(m *xpdata.MapBuilder, r *Result) {
	v, keys := &r.Verdict, r.keys
	if v.Status == scoring.Scored {
		m.AppendEmpty(keys.Score).SetDouble(v.Score)
	}
	m.AppendEmpty(keys.Passed).SetBool(v.Passed)
	if r.Reason != "" {
		m.AppendEmpty(keys.Reason).SetStr(r.Reason)
	}
	m.AppendEmpty(keys.Threshold).SetDouble(v.Threshold)
	m.AppendEmpty(keys.Status).SetStr(v.Status.String())
}

func putCalled(m *xpdata.MapBuilder, key string, calls []runs.Call) (wire int) {
	s := putList(m, key, len(calls))
	for i := range calls[:min(len(calls), maxNames)] {
		wire += putName(s, calls[i].Name)
	}
	return wire
}

func putNames(m *xpdata.MapBuilder, key string, names []string) (wire int) {
	s := putList(m, key, len(names))
	for _, n := range names[:min(len(names), maxNames)] {
		wire += putName(s, n)
	}
	return wire
}

func putName(s pcommon.Slice, name string) (wire int) {
	shown := ShownName(name)
	s.AppendEmpty().SetStr(shown)
	return len(shown) + elementWire
}

// putList makes an empty list with capacity for the names that will be written.
func putList(m *xpdata.MapBuilder, key string, names int) pcommon.Slice {
	s := m.AppendEmpty(key).SetEmptySlice()
	s.EnsureCapacity(min(names, maxNames))
	return s
}

// ShownName is a name as it is written on spans. A name longer than any real one is cut, so that receivers still accept the
// span. Characters that are invisible or rearrange the text are escaped.
func ShownName(name string) string { return scoring.SafeName(name, maxName) }

// ShownNames are the names of calls as they are written on spans.
func ShownNames(calls []runs.Call) []string {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = ShownName(calls[i].Name)
	}
	return names
}

// newLangWatch returns nil if verdicts have only our own form.
func newLangWatch(set *Settings) *langwatch.Writer {
	if !set.LangWatch {
		return nil
	}
	names := make([]string, len(set.Metrics))
	for i := range set.Metrics {
		names[i] = set.Metrics[i].Name
	}
	return langwatch.New(names)
}

// annotateLangWatch writes the verdicts of a report for LangWatch, if that is configured. It returns what [langwatch.Writer.Write]
// does.
func (e *Evaluator) annotateLangWatch(span ptrace.Span, r *Report) (wire, events int) {
	if e.langwatch == nil || len(r.Results) == 0 {
		return 0, 0
	}
	verdicts := make([]langwatch.Verdict, len(r.Results))
	for i := range r.Results {
		res := &r.Results[i]
		v := &res.Verdict
		verdicts[i] = langwatch.Verdict{
			Metric: res.Metric, Scored: v.Status == scoring.Scored, Score: v.Score, Passed: v.Passed,
			Failed: v.Status == scoring.Failed || v.Status == scoring.Undefined, Reason: res.Reason,
		}
	}
	return e.langwatch.Write(span, verdicts)
}

// valueWire is how many bytes an attribute with a number, or without a value, takes on the wire besides its key and text.
// elementWire is the same for an element of a list besides its text.
const (
	valueWire   = 28
	elementWire = 6
)

// metricKeys are how the verdicts of one metric are written.
type metricKeys struct {
	attributes.Keys
	sets bool // the metric takes expected tools and calls for sets
	// wire is how many bytes the keys and their values take on a run's span, without reason and expectation.
	wire int
}

func newMetricKeys(m *Metric) *metricKeys {
	native, is := m.Method.(*scoring.Native)
	k := &metricKeys{Keys: attributes.Of(m.Name), sets: is && native.Options().Repeats == scoring.UniqueRepeats}
	for _, key := range k.OnAnchor() {
		k.wire += len(key) + valueWire
	}
	return k
}

// sizes are bytes on the wire: what is written on each run's span, without texts that differ, and the most on a call's span.
type sizes struct{ run, mostOnCall int }

// sizesOf returns the sizes with the names and the fingerprint of a set of expectations.
func (e *Evaluator) sizesOf(set *ExpectationSet) (s sizes) {
	for _, key := range attributes.OfRun() {
		s.run += len(key) + valueWire
	}
	s.run += len(set.Fingerprint)
	for _, k := range e.keys {
		s.mostOnCall += len(k.CallVerdict) + len(k.CallCredit) + 2*valueWire
	}
	return s
}

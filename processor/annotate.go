package processor

import (
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The attributes of a judged span. Those of a metric stand behind the metric's name.
const (
	attrScore     = ".score"
	attrPassed    = ".passed"
	attrReason    = ".reason"
	attrThreshold = ".threshold"
	attrStatus    = ".status"

	attrAgent       = "tool_correctness.agent"
	attrExpectation = "tool_correctness.expectation"
	attrCalled      = "tool_correctness.called"
	attrExpected    = "tool_correctness.expected"
	attrMissing     = "tool_correctness.missing"
	attrUnexpected  = "tool_correctness.unexpected"
	attrComplete    = "tool_correctness.complete"
	attrClosedBy    = "tool_correctness.closed_by"
	attrConfig      = "tool_correctness.config"
)

// maxNames bounds the lists of names on a span, and maxName each of them, in bytes.
const (
	maxNames = 128
	maxName  = 256
)

// annotate writes a report on the run's anchor. A run that no expectation was for is left as it is.
func (p *Processor) annotate(m pcommon.Map, r *Report) {
	if !r.Matched {
		return
	}
	m.EnsureCapacity(m.Len() + 5*len(r.Results) + 9)
	for _, res := range r.Results {
		annotateResult(m, res)
	}
	if len(r.Run.Anchors) > 0 && r.Run.Anchors[0].Agent != "" {
		m.PutStr(attrAgent, r.Run.Anchors[0].Agent)
	}
	m.PutStr(attrExpectation, r.Expectation)
	putNames(m, attrCalled, calledNames(r.Run.Calls))
	putNames(m, attrExpected, r.Expected)
	putNames(m, attrMissing, r.Missing)
	putNames(m, attrUnexpected, r.Unexpected)
	m.PutBool(attrComplete, r.Run.Complete)
	m.PutStr(attrClosedBy, r.Run.ClosedBy.String())
	m.PutStr(attrConfig, p.set.Fingerprint)
}

// annotateResult replaces whatever an earlier processor wrote for the same metric.
func annotateResult(m pcommon.Map, r Result) {
	v := r.Verdict
	if v.Status == scoring.Scored {
		m.PutDouble(r.Metric+attrScore, v.Score)
	} else {
		m.Remove(r.Metric + attrScore)
	}
	m.PutBool(r.Metric+attrPassed, v.Passed)
	if r.Reason != "" {
		m.PutStr(r.Metric+attrReason, r.Reason)
	} else {
		m.Remove(r.Metric + attrReason)
	}
	m.PutDouble(r.Metric+attrThreshold, v.Threshold)
	m.PutStr(r.Metric+attrStatus, v.Status.String())
}

func putNames(m pcommon.Map, key string, names []string) {
	s := m.PutEmptySlice(key)
	names = names[:min(len(names), maxNames)]
	s.EnsureCapacity(len(names))
	for _, n := range names {
		s.AppendEmpty().SetStr(short(n))
	}
}

// short cuts a name that is longer than any real one, so that a span does not outgrow what receivers accept.
func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	cut := maxName
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut]
}

func calledNames(calls []agentrun.Call) []string {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = calls[i].Name
	}
	return names
}

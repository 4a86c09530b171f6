package toolcorrectnessconnector

import (
	"cmp"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// azureEvent is the attribute by which the Azure Monitor exporter takes a log record as a custom event. See its README in
// the Collector's contrib repository, exporter/azuremonitorexporter.
const azureEvent = "microsoft.custom_event.name"

// put writes a verdict on a span as a log record. The record's time is the end of the span, so that it falls into the same
// interval as the run.
func (c *tracesToLogs) put(r plog.LogRecord, span ptrace.Span, v *verdict, now pcommon.Timestamp) {
	r.SetEventName(attributes.EvaluationEvent)
	r.SetTraceID(span.TraceID())
	r.SetSpanID(span.SpanID())
	r.SetTimestamp(span.EndTimestamp())
	r.SetObservedTimestamp(now)
	r.SetSeverityNumber(plog.SeverityNumberInfo)
	if v.scored() && !v.passed {
		r.SetSeverityNumber(plog.SeverityNumberWarn)
	}
	r.SetSeverityText(r.SeverityNumber().String())
	r.Body().SetStr(v.summary())

	m, from := r.Attributes(), span.Attributes()
	m.EnsureCapacity(17) // a record has no more
	agent, config := cmp.Or(text(from, attributes.AgentName), text(from, v.ofRun(attributes.Agent))), text(from, v.ofRun(attributes.Config))
	puts(m, attributes.EvaluationName, v.metric, attributes.EvaluationLabel, v.label(), attributes.EvaluationExplanation, v.reason,
		attributes.ErrorType, v.failure(), attributes.AgentName, agent, attributes.ConversationID, text(from, attributes.ConversationID),
		attributes.ResponseID, text(from, attributes.ResponseID), attributes.Config, config, attributes.Expectation, v.expectation, attributes.Case, v.testCase)
	if v.scored() {
		m.PutDouble(attributes.EvaluationScore, v.score)
	}
	if complete, found := from.Get(v.ofRun(attributes.Complete)); found && complete.Type() == pcommon.ValueTypeBool {
		m.PutBool(attributes.Complete, complete.Bool())
	}
	if why, found := from.Get(v.ofRun(attributes.IncompleteBecause)); found && why.Type() == pcommon.ValueTypeSlice {
		why.CopyTo(m.PutEmpty(attributes.IncompleteBecause))
	}
	if c.config.Azure {
		puts(m, azureEvent, attributes.EvaluationEvent)
	}
	if c.config.Evaluator { // what was evaluated, and by whom: by this processor, of which the hash of the configuration is a version
		puts(m, attributes.EvaluationTarget, agent, attributes.EvaluatorID, attributes.DefaultMetric, attributes.EvaluatorType, "deterministic",
			attributes.EvaluatorVersion, config)
	}
}

// puts writes keys and texts in turn, but for texts that are empty.
func puts(m pcommon.Map, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m.PutStr(pairs[i], pairs[i+1])
		}
	}
}

// summary is what a list of log records shows: metric, label and score.
func (v *verdict) summary() string {
	s := v.metric + ": " + v.label()
	if v.scored() {
		s += " " + strconv.FormatFloat(v.score, 'g', 3, 64)
	}
	return s
}

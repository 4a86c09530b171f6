package toolcorrectnessconnector

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// azureEvent is the attribute by which the Azure Monitor exporter takes a log record as a custom event. See its README in
// the Collector's contrib repository, exporter/azuremonitorexporter.
const azureEvent = "microsoft.custom_event.name"

// attributesOfRecord is how many attributes a record has at most.
const attributesOfRecord = 17

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

	m := r.Attributes()
	m.EnsureCapacity(attributesOfRecord)
	m.PutStr(attributes.EvaluationName, v.metric)
	if v.scored() {
		m.PutDouble(attributes.EvaluationScore, v.score)
	}
	m.PutStr(attributes.EvaluationLabel, v.label())
	if v.reason != "" {
		m.PutStr(attributes.EvaluationExplanation, v.reason)
	}
	if v.failedToJudge() {
		m.PutStr(attributes.ErrorType, v.status)
	}
	if c.config.Azure {
		m.PutStr(azureEvent, attributes.EvaluationEvent)
	}
	copyIdentity(m, span.Attributes(), &v.run)
	if c.config.Evaluator {
		putEvaluator(m)
	}
	if v.expectation != "" {
		m.PutStr(attributes.Expectation, v.expectation)
	}
	if v.testCase != "" {
		m.PutStr(attributes.Case, v.testCase)
	}
}

// putEvaluator says what was evaluated, and by whom: by this processor, of which the hash of the configuration is a version.
func putEvaluator(m pcommon.Map) {
	if agent, ok := text(m, attributes.AgentName); ok {
		m.PutStr(attributes.EvaluationTarget, agent)
	}
	m.PutStr(attributes.EvaluatorID, attributes.DefaultMetric)
	m.PutStr(attributes.EvaluatorType, "deterministic")
	if config, ok := text(m, attributes.Config); ok {
		m.PutStr(attributes.EvaluatorVersion, config)
	}
}

// copyIdentity copies the attributes that identify the run, and the configuration that judged it.
func copyIdentity(to, from pcommon.Map, run *attributes.RunKeys) {
	for _, key := range [...]string{attributes.AgentName, attributes.ConversationID, attributes.ResponseID} {
		if s, ok := text(from, key); ok {
			to.PutStr(key, s)
		}
	}
	if s, ok := text(from, run.Config); ok {
		to.PutStr(attributes.Config, s)
	}
	if _, named := to.Get(attributes.AgentName); !named {
		if s, ok := text(from, run.Agent); ok {
			to.PutStr(attributes.AgentName, s)
		}
	}
	if complete, found := from.Get(run.Complete); found && complete.Type() == pcommon.ValueTypeBool {
		to.PutBool(attributes.Complete, complete.Bool())
	}
	if why, found := from.Get(run.IncompleteBecause); found && why.Type() == pcommon.ValueTypeSlice {
		why.CopyTo(to.PutEmpty(attributes.IncompleteBecause))
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

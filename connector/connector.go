package toolcorrectnessconnector

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/connector/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// NewFactory returns the factory of the tool_correctness connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(
		metadata.Type,
		func() component.Config { return &Config{} },
		connector.WithTracesToLogs(createTracesToLogs, metadata.TracesToLogsStability),
	)
}

func createTracesToLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Traces, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &tracesToLogs{config: cfg.(*Config), version: set.BuildInfo.Version, telemetry: telemetry, logger: set.Logger, next: next}, nil
}

// Config chooses what the records say besides the event itself.
type Config struct {
	// Azure adds the attribute microsoft.custom_event.name, by which Azure Monitor takes a record as a custom event.
	Azure bool `mapstructure:"azure"`

	// Evaluator adds what was evaluated, as Pydantic Evals writes it, and who evaluated, as it is proposed for the conventions:
	// gen_ai.evaluation.target, and gen_ai.evaluation.evaluator.id, .version and .type.
	Evaluator bool `mapstructure:"evaluator"`
}

// scopeName is the instrumentation scope of the records.
const scopeName = "github.com/toolcorrectness/toolcorrectnessprocessor/connector"

// tracesToLogs is the connector. It has no state beyond its settings.
type tracesToLogs struct {
	component.StartFunc
	component.ShutdownFunc

	config    *Config
	version   string
	telemetry *metadata.TelemetryBuilder
	logger    *zap.Logger
	next      consumer.Logs
}

func (*tracesToLogs) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// ConsumeTraces sends the records of all verdicts in td to the next consumer, as one request. It sends none if there are no
// verdicts. Its error is the next consumer's.
func (c *tracesToLogs) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	logs, now, unreadable := plog.NewLogs(), pcommon.NewTimestampFromTime(time.Now()), 0
	type spanKey struct {
		trace pcommon.TraceID
		span  pcommon.SpanID
	}
	seen := map[spanKey]bool{} // judged spans: retried exports have copies in one request
	for _, rs := range td.ResourceSpans().All() {
		var records plog.LogRecordSlice // made with the first record of the resource
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				verdicts, bad := verdictsOf(span.Attributes())
				key := spanKey{span.TraceID(), span.SpanID()}
				if len(verdicts)+bad == 0 || seen[key] {
					continue
				}
				seen[key] = true
				unreadable += bad
				for i := range verdicts {
					if records == (plog.LogRecordSlice{}) {
						records = c.recordsOf(logs, rs)
					}
					c.put(records.AppendEmpty(), span, &verdicts[i], now)
				}
			}
		}
	}
	if unreadable > 0 {
		c.telemetry.ConnectorToolCorrectnessVerdictsUnreadable.Add(ctx, int64(unreadable))
		c.logger.Warn("verdicts on spans cannot be read, so they have no log records", zap.Int("verdicts", unreadable))
	}
	if logs.LogRecordCount() == 0 {
		return nil
	}
	c.telemetry.ConnectorToolCorrectnessRecords.Add(ctx, int64(logs.LogRecordCount()))
	return c.next.ConsumeLogs(ctx, logs)
}

// recordsOf adds a copy of a resource, and returns the empty list of its records.
func (c *tracesToLogs) recordsOf(logs plog.Logs, rs ptrace.ResourceSpans) plog.LogRecordSlice {
	rl := logs.ResourceLogs().AppendEmpty()
	rs.Resource().CopyTo(rl.Resource())
	rl.SetSchemaUrl(rs.SchemaUrl())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scopeName)
	sl.Scope().SetVersion(c.version)
	return sl.LogRecords()
}

// A verdict is what one metric says of a run, as the span has it.
type verdict struct {
	metric      string
	prefix      string // of the attributes of the run, as the processor that judged it writes them
	status      scoring.Status
	score       float64 // in [0, 1], if scored
	passed      bool
	reason      string
	expectation string // the metric's own, or the run's
	testCase    string // that of the run, if the metric met the run's expectation
}

// ofRun is the name of an attribute of the run.
func (v *verdict) ofRun(key string) string { return attributes.OfRun(key, v.prefix) }

func (v *verdict) scored() bool { return v.status == scoring.Scored }

// failure is the status if the method itself failed, which the conventions call an error; else it is empty.
func (v *verdict) failure() string {
	if v.status == scoring.Failed || v.status == scoring.Undefined {
		return v.status.String()
	}
	return ""
}

// label is the short form of the verdict: pass, fail or not_evaluated.
func (v *verdict) label() string {
	switch {
	case !v.scored():
		return "not_evaluated"
	case v.passed:
		return "pass"
	}
	return "fail"
}

// verdictsOf returns the verdicts among the attributes of a judged span, in the order of the attributes. unreadable counts
// the verdicts whose attributes do not fit together.
func verdictsOf(m pcommon.Map) (all []verdict, unreadable int) {
	for key := range m.All() {
		metric, found := strings.CutSuffix(key, ".status")
		if !found || metric == "" {
			continue
		}
		keys := attributes.Of(metric)
		if _, ours := m.Get(keys.Passed); !ours {
			continue // another attribute whose name ends so, such as http.status
		}
		prefix := cmp.Or(text(m, keys.Run), attributes.DefaultMetric)
		if text(m, attributes.OfRun(attributes.Config, prefix)) == "" { // no processor judged the run
			if _, apart := m.Get(keys.Run); apart {
				unreadable++
			}
			continue
		}
		if v, ok := verdictOf(m, metric, &keys, prefix); ok {
			all = append(all, v)
		} else {
			unreadable++
		}
	}
	return all, unreadable
}

// verdictOf reads the verdict of one metric. It reports false if an attribute has a value that the processor never writes.
func verdictOf(m pcommon.Map, metric string, keys *attributes.Keys, prefix string) (v verdict, ok bool) {
	status, known := scoring.Parse[scoring.Status](text(m, keys.Status))
	if !known {
		return v, false
	}
	v = verdict{metric: metric, prefix: prefix, status: status, reason: text(m, keys.Reason)}
	whole := text(m, v.ofRun(attributes.Expectation))
	v.expectation = cmp.Or(text(m, keys.Expectation), whole)
	if v.expectation == whole {
		v.testCase = text(m, v.ofRun(attributes.Case))
	}
	for _, key := range [...]string{keys.Reason, keys.Expectation, v.ofRun(attributes.Expectation)} {
		if value, found := m.Get(key); found && value.Type() != pcommon.ValueTypeStr {
			return v, false
		}
	}
	passed, _ := m.Get(keys.Passed)
	score, found := m.Get(keys.Score)
	v.passed = passed.Type() == pcommon.ValueTypeBool && passed.Bool()
	if passed.Type() != pcommon.ValueTypeBool || found != v.scored() || v.passed && !found {
		return v, false
	}
	if found {
		v.score, ok = attributes.Score(score)
		return v, ok
	}
	return v, true
}

// text is an attribute that is text; empty if there is none.
func text(m pcommon.Map, key string) string {
	if v, found := m.Get(key); found {
		return v.Str() // empty for any other value
	}
	return ""
}

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

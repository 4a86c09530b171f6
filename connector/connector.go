package toolcorrectnessconnector

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/connector/internal/metadata"
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

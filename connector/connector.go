package toolcorrectnessconnector

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/connector/internal/metadata"
)

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
	b := builder{connector: c, logs: plog.NewLogs(), now: pcommon.NewTimestampFromTime(time.Now()), seen: make(map[spanKey]struct{})}
	for _, rs := range td.ResourceSpans().All() {
		b.addResource(rs)
	}
	if b.unreadable > 0 {
		c.telemetry.ConnectorToolCorrectnessVerdictsUnreadable.Add(ctx, int64(b.unreadable))
		c.logger.Warn("verdicts on spans cannot be read, so they have no log records", zap.Int("verdicts", b.unreadable))
	}
	records := b.logs.LogRecordCount()
	if records == 0 {
		return nil
	}
	c.telemetry.ConnectorToolCorrectnessRecords.Add(ctx, int64(records))
	return c.next.ConsumeLogs(ctx, b.logs)
}

// A builder makes the records of one request.
type builder struct {
	connector  *tracesToLogs
	logs       plog.Logs
	now        pcommon.Timestamp
	unreadable int
	seen       map[spanKey]struct{} // the judged spans
}

type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// addResource adds the records of all spans of a resource, below a copy of the resource.
func (b *builder) addResource(rs ptrace.ResourceSpans) {
	var records plog.LogRecordSlice
	for _, ss := range rs.ScopeSpans().All() {
		for _, span := range ss.Spans().All() {
			verdicts, unreadable := verdictsOf(span.Attributes())
			if len(verdicts)+unreadable == 0 || b.again(span) {
				continue
			}
			b.unreadable += unreadable
			for i := range verdicts {
				if records == (plog.LogRecordSlice{}) {
					records = b.recordsOf(rs)
				}
				b.connector.put(records.AppendEmpty(), span, &verdicts[i], b.now)
			}
		}
	}
}

// recordsOf returns the empty list of the records of a resource.
func (b *builder) recordsOf(rs ptrace.ResourceSpans) plog.LogRecordSlice {
	rl := b.logs.ResourceLogs().AppendEmpty()
	rs.Resource().CopyTo(rl.Resource())
	rl.SetSchemaUrl(rs.SchemaUrl())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scopeName)
	sl.Scope().SetVersion(b.connector.version)
	return sl.LogRecords()
}

// again reports whether the request already had a copy of this span, as retried exports have.
func (b *builder) again(span ptrace.Span) bool {
	n := len(b.seen)
	b.seen[spanKey{span.TraceID(), span.SpanID()}] = struct{}{}
	return len(b.seen) == n
}

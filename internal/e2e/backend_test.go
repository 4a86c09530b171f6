package e2e

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
)

// A spanID names one span.
type spanID struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

func idOf(s ptrace.Span) spanID { return spanID{s.TraceID(), s.SpanID()} }

// smallID is an ID of which only the first bytes are not zero.
func smallID(trace, span byte) spanID {
	return spanID{trace: pcommon.TraceID{trace}, span: pcommon.SpanID{span}}
}

// A backend is an OTLP receiver that remembers what it got.
type backend struct {
	ptraceotlp.UnimplementedGRPCServer
	endpoint string

	mu      sync.Mutex // guards what follows
	refusal error      // what it says to each request of traces
	spans   map[spanID][]ptrace.Span
	records map[spanID][]plog.LogRecord // by the span that they are of
	metrics []pmetric.Metrics           // of each request
	traces  int                         // requests of traces
	request map[spanID]int              // the number of the request that brought a span last
}

func startBackend(t *testing.T) *backend {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := &backend{
		endpoint: l.Addr().String(), spans: map[spanID][]ptrace.Span{}, records: map[spanID][]plog.LogRecord{}, request: map[spanID]int{},
	}
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, b)
	plogotlp.RegisterGRPCServer(server, &logBackend{b: b})
	pmetricotlp.RegisterGRPCServer(server, &metricBackend{b: b})
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	return b
}

// Export takes a request of the collector.
func (b *backend) Export(_ context.Context, req ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refusal != nil {
		return ptraceotlp.NewExportResponse(), b.refusal
	}
	b.traces++
	for _, span := range spans.All(req.Traces()) {
		id := idOf(span)
		own := ptrace.NewSpan()
		span.CopyTo(own)
		b.spans[id] = append(b.spans[id], own)
		b.request[id] = b.traces
	}
	return ptraceotlp.NewExportResponse(), nil
}

// A logBackend takes the log records that a backend gets.
type logBackend struct {
	plogotlp.UnimplementedGRPCServer
	b *backend
}

// Export takes a request of the collector.
func (l *logBackend) Export(_ context.Context, req plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	for _, rl := range req.Logs().ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				id := spanID{r.TraceID(), r.SpanID()}
				own := plog.NewLogRecord()
				r.CopyTo(own)
				l.b.records[id] = append(l.b.records[id], own)
			}
		}
	}
	return plogotlp.NewExportResponse(), nil
}

// A metricBackend takes the metrics that a backend gets.
type metricBackend struct {
	pmetricotlp.UnimplementedGRPCServer
	b *backend
}

// Export takes a request of the collector.
func (m *metricBackend) Export(_ context.Context, req pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	m.b.mu.Lock()
	defer m.b.mu.Unlock()
	m.b.metrics = append(m.b.metrics, req.Metrics())
	return pmetricotlp.NewExportResponse(), nil
}

// recordsOf are the log records of a span.
func (b *backend) recordsOf(id spanID) []plog.LogRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.records[id]
}

// counts says how often each span came.
func (b *backend) counts() map[spanID]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := map[spanID]int{}
	for id, spans := range b.spans {
		counts[id] = len(spans)
	}
	return counts
}

// attributes are those of a span that came; ok is false when it has not come.
func (b *backend) attributes(id spanID) (attributes pcommon.Map, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	spans := b.spans[id]
	if len(spans) == 0 {
		return pcommon.NewMap(), false
	}
	return spans[0].Attributes(), true
}

// A series is the last point of a time series of span metrics.
type series struct {
	labels map[string]any
	count  uint64
}

// seriesOf are those of a metric in the last request of metrics, which are cumulative. exemplars are those of all requests: the
// connector sends each once.
func (b *backend) seriesOf(name string) (last []series, exemplars map[spanID]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	exemplars = map[spanID]bool{}
	for _, request := range b.metrics {
		last = nil
		for _, rm := range request.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					if m.Name() == name {
						last = append(last, points(m, exemplars)...)
					}
				}
			}
		}
	}
	return last, exemplars
}

// points are a metric's series. It adds the spans of their exemplars.
func points(m pmetric.Metric, exemplars map[spanID]bool) (all []series) {
	add := func(labels pcommon.Map, count uint64, of pmetric.ExemplarSlice) {
		s := series{labels.AsRaw(), count}
		delete(s.labels, "collector.instance.id")
		all = append(all, s)
		for _, e := range of.All() {
			exemplars[spanID{e.TraceID(), e.SpanID()}] = true
		}
	}
	if m.Type() == pmetric.MetricTypeSum {
		for _, p := range m.Sum().DataPoints().All() {
			add(p.Attributes(), uint64(p.IntValue()), p.Exemplars())
		}
		return all
	}
	if m.Type() == pmetric.MetricTypeGauge {
		for _, p := range m.Gauge().DataPoints().All() {
			add(p.Attributes(), uint64(p.IntValue()), p.Exemplars())
		}
		return all
	}
	for _, p := range m.Histogram().DataPoints().All() {
		add(p.Attributes(), p.Count(), p.Exemplars())
	}
	return all
}

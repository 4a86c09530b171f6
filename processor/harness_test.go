package processor

import (
	"context"
	"iter"
	"maps"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is a consumer that can refuse. It keeps the spans that it accepted, by id.
type sink struct {
	check    func(ptrace.Traces) error // asked before each request; nil: none is refused
	mu       sync.Mutex
	refusal  error
	mutates  bool
	requests int
	spans    map[pcommon.SpanID]ptrace.Span
	names    []string // of the spans that came out, until a story has read them
	count    int
}

func (s *sink) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: s.mutates}
}

func (s *sink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	if s.check != nil {
		if err := s.check(td); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.refusal != nil {
		if s.mutates { // it may have done anything with what it got
			td.ResourceSpans().RemoveIf(func(ptrace.ResourceSpans) bool { return true })
		}
		return s.refusal
	}
	for span := range spansOf(td) {
		kept := ptrace.NewSpan()
		span.CopyTo(kept)
		s.spans[span.SpanID()] = kept
		s.names = append(s.names, nameOf(span.SpanID()))
		s.count++
	}
	return nil
}

func (s *sink) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = err
}

func (s *sink) got() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// rig is a processor between a test and a sink.
type rig struct {
	*Processor
	t         testing.TB
	sink      *sink
	telemetry *componenttest.Telemetry
	sent      int
}

// withFakeClock runs a test on a clock of its own, with a processor that is started, and checks that no span was lost.
func withFakeClock(t *testing.T, change func(*Settings, *sink), test func(*testing.T, *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, change)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		test(t, r)
		require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
		require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())), "a second time")
		r.conserved()
	})
}

// settingsFor expect tools.
func settingsFor(tb testing.TB, tools ...string) Settings {
	var x scoring.ExpectationSettings
	for _, name := range tools {
		x.Tools = append(x.Tools, scoring.Tool{Name: name})
	}
	expected, err := scoring.NewExpectation(x)
	require.NoError(tb, err)
	native, err := scoring.NewNative(scoring.DefaultNative())
	require.NoError(tb, err)
	metrics := []evaluate.Metric{{Name: "tool_correctness", Method: native, Reason: true}}
	return Settings{
		Run:  runs.Options{MaxCalls: 1000},
		Wait: 10 * time.Second, IdleTimeout: time.Minute, MaxPayload: 1 << 16,
		Limits:   Limits{OpenRuns: 1000, Bytes: 1 << 20},
		Settings: evaluate.Settings{Metrics: metrics},
		ExpectationSet: evaluate.ExpectationSet{
			Expectations: []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: metrics}}, Fingerprint: "00000000",
		},
	}
}

func newRig(tb testing.TB, change func(*Settings, *sink)) *rig {
	set := settingsFor(tb, "search")
	r := &rig{t: tb, sink: &sink{spans: map[pcommon.SpanID]ptrace.Span{}}, telemetry: componenttest.NewTelemetry()}
	if change != nil {
		change(&set, r.sink)
	}
	var err error
	r.Processor, err = New(set, r.telemetry.NewTelemetrySettings(), r.sink)
	require.NoError(tb, err)
	tb.Cleanup(func() {
		if tb.Failed() { // so that the other tests can go on
			_ = r.halt(context.Background())
		}
	})
	return r
}

// send gives spans to the processor in one call.
func (r *rig) send(spans ...span) error {
	return r.consume(traces(spans...))
}

func (r *rig) consume(td ptrace.Traces) error {
	n := td.SpanCount()
	err := r.ConsumeTraces(r.t.Context(), td)
	if err == nil {
		r.sent += n
	}
	return err
}

// after waits and checks how many spans have been released.
func (r *rig) after(d time.Duration, want int) {
	r.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	require.Equal(r.t, want, r.sink.got(), "spans that came out")
}

// verdict returns the verdict on a released span.
func (r *rig) verdict(name string) map[string]any {
	r.t.Helper()
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	span, ok := r.sink.spans[spanID(name)]
	require.True(r.t, ok, "the span %q has not come out", name)
	return span.Attributes().AsRaw()
}

// openRuns is how many runs are open.
func (r *rig) openRuns() int64 {
	_, open := r.logs.Size()
	return open
}

// total is the sum of a metric over all its attributes, in whole numbers.
func (r *rig) total(name string) int { return r.totalWith(name, "", "") }

// totalWith is that sum where an attribute has a value.
func (r *rig) totalWith(name, key, value string) int {
	m, err := r.telemetry.GetMetric("otelcol_processor_tool_correctness_" + name)
	if err != nil {
		return 0 // never counted
	}
	n := 0.0
	add := func(attributes attribute.Set, x float64) {
		if v, ok := attributes.Value(attribute.Key(key)); key == "" || ok && v.AsString() == value {
			n += x
		}
	}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, float64(p.Value))
		}
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, float64(p.Value))
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Sum)
		}
	}
	return int(math.Round(n))
}

// conserved checks the law of spans, by what was sent and by the processor's own count, after Shutdown.
func (r *rig) conserved() {
	r.t.Helper()
	require.Equal(r.t, r.sent+r.total("spans_resumed"), r.sink.got()+r.total("spans_failed")+r.total("spans_suspended"),
		"accepted spans = spans out + counted failures + those that stay in the storage")
	require.Equal(r.t, r.total("spans_received"), r.total("spans_forwarded")+r.total("spans_held")+r.total("spans_refused"))
	require.Equal(r.t, r.total("spans_held")+r.total("spans_resumed"),
		r.total("spans_released")+r.total("spans_failed")+r.total("spans_suspended"))
	require.Zero(r.t, r.openRuns(), "runs that are still open")
	require.Zero(r.t, r.undelivered.Load())
	require.Zero(r.t, r.origins.Load(), "bytes of resources and scopes")
	require.Zero(r.t, r.total("spans_waiting"), "spans that are still held")
	require.Zero(r.t, r.agentic.Counted(), "traces that are gone and still counted")
	require.NoError(r.t, r.telemetry.Shutdown(context.Background()))
}

// span is one span of a test. Its name is its id, and its trace is 1 unless it says otherwise.
type span struct {
	id, parent string
	start, end int
	trace      byte
	attributes map[string]any
	kind       ptrace.SpanKind
	scope      string
	name       string
	process    string
	dropped    uint32 // attributes
}

func agent(id, parent string, start, end int) span {
	return span{id: id, parent: parent, start: start, end: end, attributes: map[string]any{"gen_ai.operation.name": "invoke_agent"}}
}

func tool(id, parent string, start, end int, name string) span {
	return span{id: id, parent: parent, start: start, end: end,
		attributes: map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}}
}

func plain(id, parent string, start, end int) span {
	return span{id: id, parent: parent, start: start, end: end, attributes: map[string]any{"http.request.method": "GET"}}
}

// model is a call of a model by an instrumentation that writes no tool spans. It requested calls "name id", and was shown the
// results of others by their ids.
func model(id, parent string, start, end int, results []string, asked ...string) span {
	attributes := map[string]any{"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user"}
	for i, result := range results {
		message := "llm.input_messages." + strconv.Itoa(i+1) + ".message."
		attributes[message+"role"] = "tool"
		attributes[message+"tool_call_id"] = result
		attributes[message+"content"] = "result of " + result
	}
	for i, call := range asked {
		name, callID, _ := strings.Cut(call, " ")
		request := "llm.output_messages.0.message.tool_calls." + strconv.Itoa(i) + ".tool_call."
		attributes[request+"id"] = callID
		attributes[request+"function.name"] = name
		attributes[request+"function.arguments"] = "{}"
	}
	return span{id: id, parent: parent, start: start, end: end, attributes: attributes,
		scope: "@arizeai/openinference-instrumentation-openai"}
}

// protocol is a call as an MCP client records it.
func protocol(id, parent string, start, end int, name string) span {
	return span{id: id, parent: parent, start: start, end: end,
		attributes: map[string]any{"mcp.method.name": "tools/call", "gen_ai.tool.name": name}}
}

// with adds an attribute.
func (s span) with(key string, value any) span {
	s.attributes = maps.Clone(s.attributes)
	s.attributes[key] = value
	return s
}

// by has another instrumentation write the span.
func (s span) by(scope string) span {
	s.scope = scope
	return s
}

func (s span) in(trace byte) span {
	s.trace = trace
	return s
}

func spanID(name string) (id pcommon.SpanID) {
	copy(id[:], name)
	return id
}

func nameOf(id pcommon.SpanID) string { return strings.TrimRight(string(id[:]), "\x00") }

// traceID spreads traces as random ids do.
func traceID(trace byte) (id pcommon.TraceID) {
	for i := range id {
		id[i] = (trace + 1) * byte(2*i+1)
	}
	return id
}

func traces(spans ...span) ptrace.Traces {
	td := ptrace.NewTraces()
	var scopes ptrace.ScopeSpansSlice
	for i, s := range spans {
		another := i == 0 || s.process != spans[i-1].process
		if another {
			resource := td.ResourceSpans().AppendEmpty()
			if s.process != "" {
				resource.Resource().Attributes().PutStr("service.name", s.process)
			}
			scopes = resource.ScopeSpans()
		}
		if another || s.scope != spans[i-1].scope {
			scopes.AppendEmpty().Scope().SetName(s.scope)
		}
		out := scopes.At(scopes.Len() - 1).Spans().AppendEmpty()
		out.SetTraceID(traceID(s.trace))
		out.SetSpanID(spanID(s.id))
		out.SetParentSpanID(spanID(s.parent))
		out.SetStartTimestamp(pcommon.Timestamp(s.start) * 1e9)
		out.SetEndTimestamp(pcommon.Timestamp(s.end) * 1e9)
		out.SetKind(s.kind)
		out.SetName(s.name)
		out.SetDroppedAttributesCount(s.dropped)
		if err := out.Attributes().FromRaw(s.attributes); err != nil {
			panic(err)
		}
	}
	return td
}

// spansOf are all spans of traces.
func spansOf(td ptrace.Traces) iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

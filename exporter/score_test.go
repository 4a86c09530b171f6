package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// Records that are no score of a span are counted and not sent.
func TestRecordsThatAreNoScores(t *testing.T) {
	for _, c := range testrows.Read[struct {
		Name, Reason, Counted string
		Event                 *string
		Record                map[string]any
		Times                 int    // the explanation is repeated
		Without               string // a trace or a span
	}](t, "testdata/records.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			eachBackend(t, func(t *testing.T, x fixture) {
				record := map[string]any{attributes.EvaluationName: "m", attributes.EvaluationScore: 0.5, attributes.EvaluationLabel: "fail"}
				for key, value := range c.Record {
					if c.Times > 0 {
						value = strings.Repeat(value.(string), c.Times)
					}
					record["gen_ai.evaluation."+key] = value
				}
				maps.DeleteFunc(record, func(_ string, v any) bool { return v == nil })
				logs := logsOf(t, record)
				r := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
				if c.Event != nil {
					r.SetEventName(*c.Event)
				}
				switch c.Without {
				case "trace":
					r.SetTraceID([16]byte{})
				case "span":
					r.SetSpanID([8]byte{})
				}
				require.NoError(t, x.ConsumeLogs(t.Context(), logs))
				require.Equal(t, map[string]int64{c.Counted: 1}, x.counts(t), c.Reason)
				for _, kept := range x.kept() {
					require.NotContains(t, kept.explanation, "\x00")
				}
			})
		})
	}
}

// The identity depends on trace, span and metric, and on nothing else. Backends keep it for years, so it must never change.
func TestIdentity(t *testing.T) {
	s := score{traceID: [16]byte{1}, spanID: [8]byte{2}, name: "tool_correctness"}
	require.Equal(t, identity, s.id())
	for name, other := range map[string]score{
		"trace": {traceID: [16]byte{9}, spanID: s.spanID, name: s.name},
		"span":  {traceID: s.traceID, spanID: [8]byte{9}, name: s.name},
		"name":  {traceID: s.traceID, spanID: s.spanID, name: "other"},
	} {
		require.NotEqual(t, s.id(), other.id(), name)
	}
	same := s
	same.value, same.label, same.time = 0.5, "fail", time.Unix(1, 0)
	require.Equal(t, s.id(), same.id())
}

const identity = "a7948c57-9547-5ad3-b1a5-b142d1a9285d"

// Each backend has its own rules for names.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"tool_correctness": "tool_correctness", "a.b c": "a_b_c", "1st": "m_1st", "_": "m__", "größe": "gr__e",
		strings.Repeat("x", 300): strings.Repeat("x", 200),
	} {
		require.Equal(t, want, datadogLabel(name))
	}
	require.Equal(t, "a_b", mlflowAssessment(&score{name: "a.b", details: map[string]string{}})["assessment_name"])
	for name, want := range map[string]string{"staging": "staging", "Prod": "", "langfuse-x": "", "": "", "a b": "", strings.Repeat("x", 41): ""} {
		require.Equal(t, want, langfuseEnvironment(name))
	}
}

// Datadog needs OpenTelemetry's ids as decimal numbers.
func TestDatadogIDsAreDecimal(t *testing.T) {
	e := datadogEvaluation(&score{traceID: [16]byte{15: 255, 14: 1}, spanID: [8]byte{0: 0xff}}, "shop")
	require.Equal(t, form{"span": form{"trace_id": "511", "span_id": "18374686479671623680"}}, e["join_on"])
}

// A run of no application gets no evaluation in Datadog. Runs beside it do.
func TestDatadogNeedsAnApplication(t *testing.T) {
	f := startFake(t, contractOf("datadog"))
	x := exporterTo(t, f, rightKey)
	logs := logsOf(t, passed)
	logs.ResourceLogs().At(0).Resource().Attributes().Clear()
	require.ErrorIs(t, x.ConsumeLogs(t.Context(), logs), errNoApp)
	require.Zero(t, f.requests)
	logsOf(t, passed, failed).ResourceLogs().At(0).CopyTo(logs.ResourceLogs().AppendEmpty())
	second := logs.ResourceLogs().At(1).ScopeLogs().At(0).LogRecords()
	second.RemoveIf(func(r plog.LogRecord) bool { return r.SpanID() == [8]byte{2, 1} })
	require.NoError(t, x.ConsumeLogs(t.Context(), logs))
	require.Equal(t, map[string]int64{"scores_sent": 1, "scores_refused": 2}, x.counts(t), "one of each request was refused")
}

// A network is a backend without sockets, so that tests can use a clock of their own.
type network struct {
	answer func(r *http.Request) *http.Response
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) { return n.answer(r), nil }

func response(code int, body string, header http.Header) *http.Response {
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader(body)), Header: header}
}

// exporterhelper waits for as long as the backend demands.
func TestRetryWaitsAsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		n := &network{answer: func(*http.Request) *http.Response {
			at = append(at, time.Since(began))
			if len(at) == 1 {
				return response(429, "", http.Header{"Retry-After": {"60"}})
			}
			return response(200, `{"data":[]}`, nil)
		}}
		set := exportertest.NewNopSettings(metadata.Type)
		telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
		require.NoError(t, err)
		e := &scoresExporter{backend: (&PhoenixConfig{}).backend(), settings: set.TelemetrySettings, telemetry: telemetry}
		e.backend.http = &http.Client{Transport: n}
		cfg := createDefaultConfig().(*Config)
		x, err := exporterhelper.NewLogs(t.Context(), set, cfg, e.push, exporterhelper.WithRetry(cfg.RetryConfig), exporterhelper.WithQueue(cfg.QueueConfig))
		require.NoError(t, err)
		require.NoError(t, x.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, x.ConsumeLogs(t.Context(), logsOf(t, passed)))
		time.Sleep(2 * time.Minute)
		require.NoError(t, x.Shutdown(context.Background()))
		require.Len(t, at, 2)
		require.GreaterOrEqual(t, at[1]-at[0], time.Minute)
	})
}

func TestAScoreHasTheCaseOfItsRun(t *testing.T) {
	logs := logsOf(t, map[string]any{
		attributes.EvaluationName: "m", attributes.EvaluationScore: 1.0, attributes.EvaluationLabel: "pass", attributes.Expectation: "golden", attributes.Case: "refund in EUR",
	})
	rl := logs.ResourceLogs().At(0)
	record := rl.ScopeLogs().At(0).LogRecords().At(0)
	s, ok := scoreOf(record, rl.Resource().Attributes())
	require.True(t, ok)
	require.Equal(t, map[string]string{attributes.Expectation: "golden", attributes.Case: "refund in EUR"}, s.details)
	eachBackend(t, func(t *testing.T, x fixture) {
		require.NoError(t, x.ConsumeLogs(t.Context(), logs))
		require.Contains(t, x.last, `"refund in EUR"`)
	})
}

// For any record, nothing panics, and no number outside [0, 1] is sent as a score.
func FuzzRecords(f *testing.F) {
	f.Add("m", 0.5, int64(0), "pass", "why", "", uint8(0), []byte{1, 2})
	f.Add("", 1.5, int64(-1), "\x00", "\xff", "undefined", uint8(1), []byte{})
	f.Add("a.b", math.NaN(), int64(2), "not_evaluated", "", "error", uint8(2), []byte{255})
	f.Fuzz(func(t *testing.T, name string, value float64, whole int64, label, explanation, failure string, kind uint8, ids []byte) {
		record := map[string]any{attributes.EvaluationName: name, attributes.EvaluationLabel: label, attributes.EvaluationExplanation: explanation, attributes.ErrorType: failure, "tool_correctness.config": label}
		switch kind % 4 {
		case 0:
			record[attributes.EvaluationScore] = value
		case 1:
			record[attributes.EvaluationScore] = whole
		case 2:
			record[attributes.EvaluationScore] = name
		}
		logs := logsOf(t, record, record)
		r := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
		var trace [16]byte
		copy(trace[:], ids)
		r.SetTraceID(trace)
		r.SetEventName(map[bool]string{true: attributes.EvaluationEvent, false: name}[kind < 128])
		for _, c := range contracts {
			cfg := createDefaultConfig().(*Config)
			c.configure(cfg, "http://backend", rightKey)
			b := cfg.backend()
			n := &network{answer: func(r *http.Request) *http.Response {
				if r.Body == nil || r.Body == http.NoBody {
					return response(200, explanation, nil)
				}
				data, err := io.ReadAll(r.Body)
				require.NoError(t, err)
				var body any
				require.NoError(t, json.Unmarshal(data, &body))
				inRange(t, body)
				return response(200+int(uint64(whole)%400), explanation, nil)
			}}
			b.http = &http.Client{Transport: n}
			scores, _ := read(logs)
			for _, s := range scores {
				if b.takes(&s) {
					require.Len(t, b.send(t.Context(), []score{s, s}), 2)
				}
			}
		}
	})
}

// inRange fails if a score in a request is outside [0, 1].
func inRange(t *testing.T, body any) {
	t.Helper()
	switch body := body.(type) {
	case []any:
		for _, item := range body {
			inRange(t, item)
		}
	case map[string]any:
		for key, value := range body {
			if n, ok := value.(float64); ok && key != "timestamp_ms" {
				require.True(t, n >= 0 && n <= 1, "%s is %v", key, n)
			}
			inRange(t, value)
		}
	}
}

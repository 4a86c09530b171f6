package toolcorrectnessscoresexporter

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// secret is an explanation that must stand in no error and no log line.
const secret = "called refund(card=4111)"

// The records of runs, as the connector makes them.
var (
	passed   = map[string]any{attributes.EvaluationName: "tool_correctness", attributes.EvaluationScore: 1.0, attributes.EvaluationLabel: "pass", attributes.EvaluationExplanation: secret, "tool_correctness.config": "c0ffee"}
	failed   = map[string]any{attributes.EvaluationName: "tool_correctness", attributes.EvaluationScore: 0.5, attributes.EvaluationLabel: "fail", attributes.EvaluationExplanation: secret, "gen_ai.agent.name": "shop"}
	unscored = map[string]any{attributes.EvaluationName: "tool_correctness", attributes.EvaluationLabel: "not_evaluated", attributes.EvaluationExplanation: secret}
	erred    = map[string]any{attributes.EvaluationName: "tool_correctness", attributes.EvaluationLabel: "not_evaluated", attributes.EvaluationExplanation: secret, attributes.ErrorType: "undefined"}
)

// logsOf returns one record for each map, each on a span of its own.
func logsOf(t *testing.T, records ...map[string]any) plog.Logs {
	t.Helper()
	logs := plog.NewLogs()
	rl := logs.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "shop")
	rl.Resource().Attributes().PutStr("deployment.environment.name", "staging")
	list := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i, raw := range records {
		r := list.AppendEmpty()
		r.SetEventName(attributes.EvaluationEvent)
		r.SetTraceID(pcommon.TraceID{1, byte(i + 1)})
		r.SetSpanID(pcommon.SpanID{2, byte(i + 1)})
		r.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		r.SetObservedTimestamp(r.Timestamp())
		require.NoError(t, r.Attributes().FromRaw(raw))
	}
	return logs
}

// A fixture is an exporter to a fake, whose logs and metrics a test can read.
type fixture struct {
	exporter.Logs
	*fake
	telemetry *componenttest.Telemetry
	lines     *observer.ObservedLogs
}

// once makes an exporter try once.
func once(c *Config) { c.RetryConfig.Enabled = false }

// exporterTo sends to f without a queue, and retries for a short time.
func exporterTo(t *testing.T, f *fake, key string, change ...func(*Config)) fixture {
	t.Helper()
	c := createDefaultConfig().(*Config)
	c.QueueConfig = configoptional.None[exporterhelper.QueueBatchConfig]()
	c.RetryConfig.InitialInterval = time.Millisecond
	c.RetryConfig.MaxInterval = 10 * time.Millisecond
	c.RetryConfig.MaxElapsedTime = 10 * time.Second
	f.configure(c, f.url, key)
	for _, change := range change {
		change(c)
	}
	core, lines := observer.New(zapcore.DebugLevel)
	tel := componenttest.NewTelemetry()
	set := exportertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	set.Logger = zap.New(core)
	e, err := NewFactory().CreateLogs(context.Background(), set, c)
	require.NoError(t, err)
	require.NoError(t, e.Start(context.Background(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		require.NoError(t, e.Shutdown(context.Background()))
		require.NoError(t, tel.Shutdown(context.Background()))
	})
	return fixture{Logs: e, fake: f, telemetry: tel, lines: lines}
}

// eachBackend runs a test with an exporter to each backend, or to the named ones. It may change the fake before the first request.
func eachBackend(t *testing.T, test func(*testing.T, fixture), names ...string) {
	t.Helper()
	for _, b := range contracts {
		if len(names) == 0 || slices.Contains(names, b.name) {
			t.Run(b.name, func(t *testing.T) { test(t, exporterTo(t, startFake(t, b), rightKey)) })
		}
	}
}

// counts returns the exporter's own counters that are not 0, by the end of their names.
func (x *fixture) counts(t *testing.T) map[string]int64 {
	t.Helper()
	counts := make(map[string]int64)
	for _, name := range []string{"scores_sent", "scores_refused", "scores_repeated", "scores_skipped", "records_ignored", "records_unreadable"} {
		m, err := x.telemetry.GetMetric("otelcol_exporter_tool_correctness_" + name)
		require.NoError(t, err)
		if n := m.Data.(metricdata.Sum[int64]).DataPoints[0].Value; n != 0 {
			counts[name] = n
		}
	}
	return counts
}

// quiet fails the test if an error or a log line has a key or content of a run.
func (x *fixture) quiet(t *testing.T, err error) {
	t.Helper()
	all := fmt.Sprint(err)
	for _, line := range x.lines.All() {
		all = fmt.Sprint(all, line.Message, line.ContextMap())
	}
	for _, private := range []string{rightKey, wrongKey, secret, "card=", "secret reason", "Basic ", "Bearer "} {
		require.NotContains(t, all, private)
	}
}

// Each backend gets what it has a place for, and the rest is counted.
func TestBackendsGetVerdicts(t *testing.T) {
	all := []stored{
		{score: 1.0, label: "pass", explanation: secret}, {score: 0.5, label: "fail", explanation: secret},
		{label: "not_evaluated", explanation: secret}, {label: "not_evaluated", explanation: secret, failure: "undefined"},
	}
	eachBackend(t, func(t *testing.T, x fixture) {
		require.NoError(t, x.ConsumeLogs(t.Context(), logsOf(t, passed, failed, unscored, erred)))
		want := x.of(all...)
		require.ElementsMatch(t, want, x.kept())
		counts := map[string]int64{"scores_sent": int64(len(want)), "scores_skipped": int64(len(all) - len(want))}
		maps.DeleteFunc(counts, func(_ string, n int64) bool { return n == 0 })
		require.Equal(t, counts, x.counts(t))
		x.quiet(t, nil)
	})
}

// A score that is sent again replaces the stored one.
func TestRepetitionAddsNoScore(t *testing.T) {
	eachBackend(t, func(t *testing.T, x fixture) {
		logs := logsOf(t, passed, failed)
		for _, late := range []fault{nil, nil, nil, during(1, hangUp), during(1, status(502))} { // a lost answer; a proxy that failed afterwards
			x.set(func(f *fake) { f.late = late })
			require.NoError(t, x.ConsumeLogs(t.Context(), logs))
			require.Len(t, x.kept(), 2)
		}
	})
}

// A run that is judged again has the new score, unless the backend has no way to replace one.
func TestNewVerdictReplacesTheOldOne(t *testing.T) {
	eachBackend(t, func(t *testing.T, x fixture) {
		first, second := logsOf(t, failed), logsOf(t, passed)
		first.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SetTimestamp(1e9)
		require.NoError(t, x.ConsumeLogs(t.Context(), first))
		require.NoError(t, x.ConsumeLogs(t.Context(), second))
		want := x.of(stored{score: 1.0, label: "pass", explanation: secret})
		if x.adds {
			want = append(want, x.of(stored{score: 0.5, label: "fail", explanation: secret})...)
		}
		require.ElementsMatch(t, want, x.kept())
	})
}

// Two records of one score in a batch are one score, the last one. Records of other spans or metrics are others.
func TestCopiesInABatch(t *testing.T) {
	eachBackend(t, func(t *testing.T, x fixture) {
		logs := logsOf(t, failed)
		logsOf(t, passed).ResourceLogs().MoveAndAppendTo(logs.ResourceLogs())
		other := logsOf(t, map[string]any{attributes.EvaluationName: "other", attributes.EvaluationScore: 0.25, attributes.EvaluationLabel: "fail"})
		other.ResourceLogs().MoveAndAppendTo(logs.ResourceLogs())
		require.NoError(t, x.ConsumeLogs(t.Context(), logs))
		require.ElementsMatch(t, x.of(stored{score: 0.25, label: "fail"}, stored{score: 1.0, label: "pass", explanation: secret}), x.kept())
		require.Equal(t, map[string]int64{"scores_sent": 2, "scores_repeated": 1}, x.counts(t))
	})
}

// One score that the backend refuses does not take the others with it. No other backend refuses what the exporter sends.
func TestPartOfABatchIsRefused(t *testing.T) {
	bad := map[string]any{attributes.EvaluationName: "note", attributes.EvaluationScore: 1.0}
	eachBackend(t, func(t *testing.T, x fixture) {
		x.set(func(f *fake) { f.fault = during(1, status(500)) })
		require.NoError(t, x.ConsumeLogs(t.Context(), logsOf(t, passed, bad, failed, failed, failed)))
		require.Len(t, x.kept(), 4)
		require.Equal(t, map[string]int64{"scores_sent": 4, "scores_refused": 1}, x.counts(t))
		require.Equal(t, 1, x.lines.FilterMessage("Some scores of a batch were refused and are lost.").Len())
		x.quiet(t, nil)
	}, "phoenix")
}

// If a part of a batch fails, only this part is sent again. The other backends take one request a batch.
func TestOnlyWhatFailedIsRepeated(t *testing.T) {
	eachBackend(t, func(t *testing.T, x fixture) {
		n := 0
		x.set(func(f *fake) {
			f.fault = func(w http.ResponseWriter, r *http.Request) bool {
				n++
				return n == 2 && status(503)(w, r)
			}
		})
		require.NoError(t, x.ConsumeLogs(t.Context(), logsOf(t, passed, failed, failed)))
		require.Len(t, x.kept(), 3)
		require.Equal(t, 4, x.requests, "three scores, and one of them twice")
		require.Equal(t, map[string]int64{"scores_sent": 3}, x.counts(t))
	}, "langfuse", "mlflow")
}

package toolcorrectnessconnector

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/connector/internal/metadatatest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// A run with a score below the threshold, as the processor writes it.
var failed = map[string]any{
	"gen_ai.agent.name": "shop", "gen_ai.conversation.id": "c-1", "gen_ai.response.id": "r-1",
	"tool_correctness.score": 0.5, "tool_correctness.passed": false, "tool_correctness.threshold": 1.0,
	"tool_correctness.status": "scored", "tool_correctness.reason": "Failed: missing: refund.",
	"tool_correctness.expectation": "refunds", "tool_correctness.complete": true, "tool_correctness.closed_by": "anchor",
	"tool_correctness.config": "cafe", "tool_correctness.agent": "shop",
}

type m = map[string]any

func changed(from, change map[string]any) map[string]any {
	m := maps.Clone(from)
	maps.Copy(m, change)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	return m
}

// Each row of testdata/records.yaml is the attributes of a span and those of the records that are made of it.
func TestRecords(t *testing.T) {
	ofFailed := map[string]any{
		attributes.EvaluationName: "tool_correctness", attributes.EvaluationScore: 0.5, attributes.EvaluationLabel: "fail", attributes.EvaluationExplanation: "Failed: missing: refund.",
		attributes.AgentName: "shop", attributes.ConversationID: "c-1", attributes.ResponseID: "r-1",
		"tool_correctness.expectation": "refunds", "tool_correctness.complete": true, "tool_correctness.config": "cafe",
	}
	for _, row := range testrows.Read[struct {
		Name, Reason string
		Span         m // what differs from the failed run
		Only         m // all attributes of the span
		Want         []m
		Unreadable   int
	}](t, "testdata/records.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			span := row.Only
			if span == nil {
				span = changed(failed, row.Span)
			}
			logs, unreadable := convert(t, &Config{}, judgedSpan(t, span))
			var want, got []m
			for _, change := range row.Want {
				want = append(want, changed(ofFailed, change))
			}
			for _, r := range recordsIn(logs) {
				got = append(got, r.Attributes().AsRaw())
				require.Equal(t, attributes.EvaluationEvent, r.EventName())
			}
			require.ElementsMatch(t, want, got, row.Reason)
			require.Equal(t, row.Unreadable, unreadable, "verdicts that are counted as unreadable")
		})
	}
}

// A record says when and where the run was, in the resource of the run.
func TestRecordIsOfTheRun(t *testing.T) {
	td := judgedSpan(t, failed)
	logs, _ := convert(t, &Config{Azure: true}, td)
	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	r := recordsIn(logs)[0]
	require.Equal(t, span.TraceID(), r.TraceID())
	require.Equal(t, span.SpanID(), r.SpanID())
	require.Equal(t, span.EndTimestamp(), r.Timestamp())
	require.NotZero(t, r.ObservedTimestamp())
	require.Equal(t, plog.SeverityNumberWarn, r.SeverityNumber())
	require.Equal(t, "tool_correctness: fail 0.5", r.Body().Str())
	require.Equal(t, map[string]any{"service.name": "shop"}, logs.ResourceLogs().At(0).Resource().Attributes().AsRaw())
	require.Equal(t, scopeName, logs.ResourceLogs().At(0).ScopeLogs().At(0).Scope().Name())
	azure, _ := r.Attributes().Get(azureEvent)
	require.Equal(t, attributes.EvaluationEvent, azure.Str())
}

// On request a record says what was evaluated, and by whom.
func TestEvaluator(t *testing.T) {
	evaluator := func(cfg *Config, span map[string]any) map[string]any {
		logs, _ := convert(t, cfg, judgedSpan(t, span))
		got := recordsIn(logs)[0].Attributes().AsRaw()
		maps.DeleteFunc(got, func(key string, _ any) bool {
			return key != attributes.EvaluationTarget && !strings.HasPrefix(key, "gen_ai.evaluation.evaluator.")
		})
		return got
	}
	require.Empty(t, evaluator(&Config{}, failed))
	require.Equal(t, map[string]any{
		"gen_ai.evaluation.target": "shop", "gen_ai.evaluation.evaluator.id": "tool_correctness",
		"gen_ai.evaluation.evaluator.version": "cafe", "gen_ai.evaluation.evaluator.type": "deterministic",
	}, evaluator(&Config{Evaluator: true}, failed))
	nameless := evaluator(&Config{Evaluator: true}, changed(failed, m{"gen_ai.agent.name": nil, "tool_correctness.agent": nil}))
	require.NotContains(t, nameless, attributes.EvaluationTarget)
}

// A retried export leaves two copies of a span in one request. The second one gets no record.
func TestCopiesGetOneRecord(t *testing.T) {
	td := judgedSpan(t, failed)
	td.ResourceSpans().At(0).CopyTo(td.ResourceSpans().AppendEmpty())
	logs, _ := convert(t, &Config{}, td)
	require.Len(t, recordsIn(logs), 1)
}

// The connector returns the next consumer's error, so the sender may retry.
func TestErrorOfTheNextConsumer(t *testing.T) {
	refusal := errors.New("refused")
	c := newConnector(t, &Config{}, connectortest.NewNopSettings(NewFactory().Type()), consumertest.NewErr(refusal))
	require.ErrorIs(t, c.ConsumeTraces(t.Context(), judgedSpan(t, failed)), refusal)
	require.NoError(t, c.ConsumeTraces(t.Context(), ptrace.NewTraces()), "without verdicts nothing is sent")
}

// For any attributes, a record has a verdict that is on the span.
func FuzzAttributes(f *testing.F) {
	f.Add("scored", 0.5, true, "why", uint8(0))
	f.Add("error", -1.0, false, "", uint8(3))
	f.Add("", math.Inf(1), true, "\xff", uint8(255))
	f.Fuzz(func(t *testing.T, status string, score float64, passed bool, reason string, missing uint8) {
		span := map[string]any{
			"m.status": status, "m.score": score, "m.passed": passed, "m.reason": reason, "m.threshold": 1.0,
			"tool_correctness.config": "c", ".status": status, ".passed": passed,
		}
		for i, key := range []string{"m.status", "m.score", "m.passed", "m.reason", "m.threshold"} {
			if missing&(1<<i) != 0 {
				delete(span, key)
			}
		}
		logs, _ := convert(t, &Config{}, judgedSpan(t, span))
		for _, r := range recordsIn(logs) {
			got := r.Attributes().AsRaw()
			require.Equal(t, "m", got[attributes.EvaluationName])
			if value, scored := got[attributes.EvaluationScore]; scored {
				require.Equal(t, span["m.score"], value)
				require.Equal(t, map[bool]string{true: "pass", false: "fail"}[passed], got[attributes.EvaluationLabel])
			}
		}
	})
}

func judgedSpan(t *testing.T, attributes map[string]any) ptrace.Traces {
	t.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{2})
	s.SetEndTimestamp(1_000_000)
	require.NoError(t, s.Attributes().FromRaw(attributes))
	return td
}

func newConnector(t *testing.T, cfg *Config, set connector.Settings, next consumer.Logs) connector.Traces {
	t.Helper()
	c, err := NewFactory().CreateTracesToLogs(context.Background(), set, cfg, next)
	require.NoError(t, err)
	return c
}

// convert returns the records of td, and how many verdicts were counted as unreadable.
func convert(t *testing.T, cfg *Config, td ptrace.Traces) (plog.Logs, int) {
	t.Helper()
	tel := componenttest.NewTelemetry()
	sink := new(consumertest.LogsSink)
	c := newConnector(t, cfg, metadatatest.NewSettings(tel), sink)
	require.NoError(t, c.ConsumeTraces(t.Context(), td))
	unreadable := 0
	if m, err := tel.GetMetric("otelcol_connector_tool_correctness_verdicts_unreadable"); err == nil {
		unreadable = int(sumOf(m))
	}
	require.NoError(t, tel.Shutdown(context.Background()))
	if sink.LogRecordCount() == 0 {
		require.Empty(t, sink.AllLogs(), "a request without records")
		return plog.NewLogs(), unreadable
	}
	return sink.AllLogs()[0], unreadable
}

func recordsIn(logs plog.Logs) (all []plog.LogRecord) {
	for _, rl := range logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				all = append(all, r)
			}
		}
	}
	return all
}

func sumOf(m metricdata.Metrics) (sum int64) {
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		sum += p.Value
	}
	return sum
}

// Two processors of a pipeline judged one run, the second with a prefix of its own. Each verdict has its own run's attributes, and a
// score that was rounded up is no fault.
func TestVerdictsOfTwoProcessors(t *testing.T) {
	m := pcommon.NewMap()
	require.NoError(t, m.FromRaw(map[string]any{
		"tool_correctness.score": 1.0, "tool_correctness.passed": true, "tool_correctness.status": "scored", "tool_correctness.config": "1",
		"tool_correctness.expectation": "turn", "tool_correctness.case": "a",
		"whole.score": 1.0000000000000002, "whole.passed": true, "whole.status": "scored", "whole.run": "talk",
		"talk.config": "2", "talk.expectation": "conversation", "talk.case": "b",
	}))
	verdicts, unreadable := verdictsOf(m)
	require.Zero(t, unreadable)
	require.Len(t, verdicts, 2)
	slices.SortFunc(verdicts, func(a, b verdict) int { return strings.Compare(a.metric, b.metric) })
	require.Equal(t, []string{"turn", "a"}, []string{verdicts[0].expectation, verdicts[0].testCase})
	require.Equal(t, []string{"conversation", "b"}, []string{verdicts[1].expectation, verdicts[1].testCase})
	require.Equal(t, 1.0, verdicts[1].score)
	m.Remove("talk.config")
	_, unreadable = verdictsOf(m)
	require.Equal(t, 1, unreadable, "it is counted, not lost in silence")
}

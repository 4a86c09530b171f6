package processor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The log says where a condition failed and on which types. It has the text of the error if that is about types alone.
func TestErrorsOfConditions(t *testing.T) {
	const hidden = "annotate.values: true logs its text"
	for _, tc := range []struct {
		when   string
		a      any // the attribute "a"
		want   string
		types  []string
		reason string
	}{
		{`HasPrefix(attributes["a"], "x")`, 4711, "expected string but got int64", []string{`attributes["a"] is Int`}, "a type, and no value"},
		{`HasPrefix(attributes["a"], "x")`, nil, "expected string but got nil", nil, "nothing is there"},
		{`HasPrefix(attributes["a"], "x")`, []any{canary}, "expected string but got pcommon.Slice", []string{`attributes["a"] is Slice`}, "likewise"},
		{`name == "x" and HasPrefix(attributes["a"], "y")`, 4711, "expected string but got int64", []string{`attributes["a"] is Int`}, "a part failed"},
		{`Int(ParseJSON(attributes["a"])["x"]) == 1`, canary, hidden, []string{`attributes["a"] is Str`}, "OTTL quotes the value here"},
		{`ParseInt(attributes["a"], 10) == 1`, canary, hidden, []string{`attributes["a"] is Str`}, "and here"},
		{`Time(attributes["a"], "%Y-%m-%d") == nil`, canary, hidden, []string{`attributes["a"] is Str`}, "and here"},
	} {
		t.Run(fmt.Sprint(tc.when, " of ", tc.a), func(t *testing.T) {
			logged := logOf(t, tc.when, anchorWith(t, tc.a))
			require.Equal(t, 1, logs(logged, "failed on a span"))
			entry := logged.All()[0].ContextMap()
			require.NotContains(t, everything(t, logged), canary, tc.reason)
			require.NotContains(t, everything(t, logged), "4711", tc.reason)
			require.Equal(t, tc.when, entry["when"])
			require.Contains(t, entry["error"], tc.want, tc.reason)
			require.Equal(t, fmt.Sprint(tc.types), fmt.Sprint(entry["types"]), tc.reason)
		})
	}
}

// The key of a dataset that fails is logged as a condition is: by count, without values, and not in the mode silent.
func TestErrorsOfKeys(t *testing.T) {
	const text = `Concat([attributes["a"], ParseJSON(attributes["a"])["x"]], "/")`
	dataset := func(telemetry component.TelemetrySettings) evaluate.Expectation {
		parser, err := conditions.NewParser(telemetry)
		require.NoError(t, err)
		key, err := parser.Key(text)
		require.NoError(t, err)
		none := func(string) (*scoring.Expectation, bool, error) { return nil, false, nil }
		return evaluate.Expectation{Name: "x", Cases: &evaluate.Cases{Key: key, Text: text, File: "cases.jsonl", Find: none}}
	}
	anchors := []*conditions.Place{anchorWith(t, `{"x": "y"}`)} // this one does not fail
	for range 12 {
		anchors = append(anchors, anchorWith(t, canary))
	}
	logged := logOfExpectation(t, evaluate.IgnoreErrors, dataset, anchors...)
	var counts []int64
	for _, entry := range logged.All() {
		require.Contains(t, entry.Message, "the key of a dataset failed on")
		require.Equal(t, text, entry.ContextMap()["dataset.key"])
		require.Contains(t, entry.ContextMap()["error"], "annotate.values: true logs its text", "OTTL quotes the value here")
		counts = append(counts, entry.ContextMap()["failures"].(int64))
	}
	require.Equal(t, []int64{1, 10, 12}, counts)
	require.NotContains(t, everything(t, logged), canary, "values are private")
	require.Zero(t, logOfExpectation(t, evaluate.SilenceErrors, dataset, anchors...).Len())
}

// logs is how many messages have a text.
func logs(logged *observer.ObservedLogs, text string) (n int) {
	for _, entry := range logged.All() {
		if strings.Contains(entry.Message, text) {
			n++
		}
	}
	return n
}

// logOf returns the log of a condition that is evaluated on anchors.
func logOf(t *testing.T, when string, anchors ...*conditions.Place) *observer.ObservedLogs {
	t.Helper()
	return logOfExpectation(t, evaluate.IgnoreErrors, func(telemetry component.TelemetrySettings) evaluate.Expectation {
		return evaluate.Expectation{Name: "x", Text: when, When: conditionOf(t, telemetry, when)}
	}, anchors...)
}

// logOfExpectation returns the log of an expectation that is evaluated on each of the anchors, until the shutdown.
func logOfExpectation(t *testing.T, mode evaluate.ErrorMode, expectation func(component.TelemetrySettings) evaluate.Expectation, anchors ...*conditions.Place) *observer.ObservedLogs {
	t.Helper()
	core, logged := observer.New(zap.DebugLevel)
	r := newRig(t, nil)
	telemetry := r.telemetry.NewTelemetrySettings()
	telemetry.Logger = zap.New(core)
	set := r.set
	x := expectation(telemetry)
	x.Metrics = set.Metrics
	set.Expectations, set.ErrorMode = []evaluate.Expectation{x}, mode
	p, err := New(set, telemetry, r.sink)
	require.NoError(t, err)
	var v evaluate.Evaluation
	for _, anchor := range anchors {
		own := evidence.Held{Data: anchor.Span, Origin: &evidence.Origin{Resource: anchor.Resource, Scope: anchor.Scope}}
		p.evaluator.Judge(t.Context(), &v, &runs.Run{Anchors: []evidence.Held{own}})
		p.evaluator.Annotate(&v)
		p.countEvaluation(t.Context(), &v)
	}
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()), "a second time says nothing more")
	return logged
}

// anchorWith returns an anchor with the name "x" and an attribute "a". All its other values are private.
func anchorWith(t *testing.T, a any) *conditions.Place {
	t.Helper()
	rs := ptrace.NewResourceSpans()
	rs.SetSchemaUrl(canary)
	rs.Resource().Attributes().PutStr(canary, canary)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.SetSchemaUrl(canary)
	ss.Scope().SetName(canary)
	ss.Scope().SetVersion(canary)
	ss.Scope().Attributes().PutStr("scope", canary)
	span := ss.Spans().AppendEmpty()
	span.SetName("x")
	span.TraceState().FromRaw("k=" + canary)
	span.Status().SetMessage(canary)
	span.Events().AppendEmpty().SetName(canary)
	span.Links().AppendEmpty().Attributes().PutStr(canary, canary)
	span.Attributes().PutStr(canary, canary)
	if a != nil {
		require.NoError(t, span.Attributes().PutEmpty("a").FromRaw(a))
	}
	return &conditions.Place{Resource: rs, Scope: ss, Span: span}
}

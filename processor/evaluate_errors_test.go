package processor

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The log has OTTL's error of a failed condition, without any value of the span.
func TestErrorsOfConditions(t *testing.T) {
	const lambdas = "ottl.functions.enableLambda"
	require.NoError(t, featuregate.GlobalRegistry().Set(lambdas, true))
	t.Cleanup(func() { require.NoError(t, featuregate.GlobalRegistry().Set(lambdas, false)) })
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
		{`attributes["a"]["k"] == "x"`, canary, "type Str does not support string indexing", []string{`attributes["a"] is Str`}, "a text has no keys"},
		{`name == "x" and HasPrefix(attributes["a"], "y")`, 4711, "expected string but got int64", []string{`attributes["a"] is Int`},
			"what the condition asks for before is so on the span, and on its shadow"},
		{`Int(ParseJSON(attributes["a"])["x"]) == 1`, canary, "invalid character '*' looking for beginning of value", []string{`attributes["a"] is Str`}, "OTTL quotes the value here"},
		{`ParseJSON(attributes["a"])["x"]["y"] == 1`, `{"x": "` + canary + `"}`, "", []string{`attributes["a"] is Str`}, "whether there is x depends on the value"},
		{`Substring(attributes["a"], 0, 1000) == "x"`, canary, "invalid range for substring function, start(0)+length(1000) cannot be greater than the length of target string(3)",
			[]string{`attributes["a"] is Str`}, "the length is that of the shadow"},
		{`ParseInt(attributes["a"], 10) == 1`, canary, `strconv.ParseInt: parsing "***": invalid syntax`, []string{`attributes["a"] is Str`}, "OTTL quotes the value here"},
		{`Time(attributes["a"], "%Y-%m-%d") == nil`, canary, `parsing time "***" as`, []string{`attributes["a"] is Str`}, "and here"},
		{`Duration(attributes["a"]) == nil`, canary, `time: invalid duration "***"`, []string{`attributes["a"] is Str`}, "and here"},
		{`Any(attributes["a"], (k, v) => Int(ParseJSON(v)) == 1)`, map[string]any{canary: canary}, "map item (***1, { }): invalid character '*' looking for beginning of value",
			[]string{`attributes["a"] is Map`}, "OTTL quotes a key here, and addresses, which are others on the shadow"},
	} {
		t.Run(fmt.Sprint(tc.when, " of ", tc.a), func(t *testing.T) {
			if strings.Contains(tc.when, "=>") && !parses(t, tc.when) {
				t.Skip("lambdas are an experiment, which not every release of OTTL has")
			}
			logged := logOf(t, tc.when, anchorWith(t, tc.a))
			require.Equal(t, 1, logs(logged, "failed on a span"))
			entry := logged.All()[0].ContextMap()
			require.NotContains(t, everything(t, logged), canary, tc.reason)
			require.NotContains(t, everything(t, logged), "4711", tc.reason)
			require.Equal(t, tc.when, entry["when"])
			if tc.want == "" {
				require.Contains(t, entry["error_without_values"], "omitted, because it may quote attribute values", tc.reason)
			} else {
				require.Contains(t, entry["error_without_values"], tc.want, tc.reason)
			}
			require.Equal(t, fmt.Sprint(tc.types), fmt.Sprint(entry["types"]), tc.reason)
		})
	}
}

// A condition that fails is logged at the first, the tenth and the hundredth failure, and at shutdown with the number of all
// failures.
func TestErrorsOfConditionsAreCounted(t *testing.T) {
	for _, tc := range []struct {
		failures int
		want     []int64
		reason   string
	}{
		{0, nil, "nothing failed"},
		{1, []int64{1}, "there is no more to say at shutdown"},
		{2, []int64{1, 2}, "the second is logged at shutdown"},
		{10, []int64{1, 10}, "ten is a number that is logged"},
		{123, []int64{1, 10, 100, 123}, "so is a hundred"},
	} {
		anchors := []*condition.Place{anchorWith(t, canary)} // this one does not fail
		for range tc.failures {
			anchors = append(anchors, anchorWith(t, 7))
		}
		var got []int64
		for _, entry := range logOf(t, `HasPrefix(attributes["a"], "x")`, anchors...).All() {
			require.Contains(t, entry.Message, "the condition of an expectation failed")
			require.Equal(t, "expected string but got int64", entry.ContextMap()["error_without_values"])
			got = append(got, entry.ContextMap()["failures"].(int64))
		}
		require.Equal(t, tc.want, got, tc.reason)
	}
}

// The key of a dataset that fails is logged as a condition is: by count, without values, and not in the mode silent.
func TestErrorsOfKeys(t *testing.T) {
	const text = `Concat([attributes["a"], ParseJSON(attributes["a"])["x"]], "/")`
	dataset := func(telemetry component.TelemetrySettings) evaluate.Expectation {
		parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), telemetry)
		require.NoError(t, err)
		key, err := parser.ParseValueExpression(text)
		require.NoError(t, err)
		none := func(string) (*scoring.Expectation, bool, error) { return nil, false, nil }
		return evaluate.Expectation{Name: "x", Cases: &evaluate.Cases{Key: key, Text: text, File: "cases.jsonl", Find: none}}
	}
	anchors := []*condition.Place{anchorWith(t, `{"x": "y"}`)} // this one does not fail
	for range 12 {
		anchors = append(anchors, anchorWith(t, canary))
	}
	logged := logOfExpectation(t, evaluate.IgnoreErrors, dataset, anchors...)
	var counts []int64
	for _, entry := range logged.All() {
		require.Contains(t, entry.Message, "the key of a dataset failed on")
		require.Equal(t, text, entry.ContextMap()["dataset.key"])
		require.Contains(t, entry.ContextMap()["error_without_values"], "invalid character '*'", "OTTL quotes the value here")
		counts = append(counts, entry.ContextMap()["failures"].(int64))
	}
	require.Equal(t, []int64{1, 10, 12}, counts)
	require.NotContains(t, everything(t, logged), canary, "values are private")
	require.Zero(t, logOfExpectation(t, evaluate.SilenceErrors, dataset, anchors...).Len())
}

// For any condition that fails on any span, the log has no value and no key of the span, and usually it has the error.
func TestErrorsOfConditionsArePrivate(t *testing.T) {
	const number = 987654321
	quoted, failed, shown, unknown := 0, 0, 0, 0
	for _, when := range failingConditions {
		if !parses(t, when) {
			unknown++
			continue
		}
		x := evaluate.Expectation{When: conditionOf(t, componenttest.NewNopTelemetrySettings(), when)}
		for _, a := range []any{
			nil, canary, "{" + canary, `{"k": "` + canary + `"}`, `["` + canary + `"]`, number, number + 0.5, true, []byte(canary),
			[]any{canary, number}, map[string]any{canary: canary, "k": canary}, map[string]any{"k": map[string]any{"l": canary}},
		} {
			anchor := anchorWith(t, a)
			logged := logOf(t, when, anchor)
			all := everything(t, logged)
			require.NotContains(t, all, canary, "%s of %v", when, a)
			require.NotContains(t, all, strconv.Itoa(number), "%s of %v", when, a)
			if logged.Len() == 0 {
				continue
			}
			failed++
			if !strings.Contains(all, "omitted, because") {
				shown++
			}
			tctx := ottlcontext.New(anchor.Resource, anchor.Scope, anchor.Span)
			_, failure := x.When.Eval(t.Context(), tctx)
			tctx.Close()
			err := failure.Error()
			if strings.Contains(err, canary) || strings.Contains(err, strconv.Itoa(number)) {
				quoted++
			}
		}
	}
	t.Logf("of %d failures %d have an error that quotes the span, and of %d the error is shown", failed, quoted, shown)
	require.Greater(t, quoted, 15, "so that this test can fail")
	require.Greater(t, 10*shown, 9*failed)
	require.LessOrEqual(t, unknown, 1, "functions that this release of OTTL does not have: newer ones have no Base64Decode")
}

// parses reports whether this release of OTTL supports all functions of a condition.
func parses(t *testing.T, when string) bool {
	t.Helper()
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	_, err = parser.ParseCondition(when)
	return err == nil
}

// failingConditions fail on many spans, most of them in words of another function.
var failingConditions = []string{
	`HasPrefix(attributes["a"], "x")`, `attributes["a"]["k"] == "x"`, `attributes["a"]["k"]["l"] == "x"`, `attributes["a"][0] == "x"`, `attributes["a"][9] == "x"`,
	`Int(ParseJSON(attributes["a"])["k"]) == 1`, `ParseJSON(attributes["a"])["k"]["l"] == 1`, `Substring(attributes["a"], 3, 1000) == "x"`, `ParseInt(attributes["a"], 10) == 1`,
	`Time(attributes["a"], "%Y-%m-%d") == nil`, `Duration(attributes["a"]) == nil`, `Len(attributes["a"]) > 3`, `ParseKeyValue(attributes["a"])["k"] == "x"`,
	`ParseXML(attributes["a"])["k"] == "x"`, `Base64Decode(attributes["a"]) == "x"`, `Decode(attributes["a"], "base64") == "x"`, `Split(attributes["a"], ",")[5] == "x"`,
	`URL(attributes["a"])["path"] == "x"`, `Hex(attributes["a"]) == "x"`, `Double(attributes["a"]) > 1`, `Format("%d", [attributes["a"]]) == "x"`, `Sort(attributes["a"]) == nil`,
	`ParseCSV(attributes["a"], "k,l")["k"] == "x"`, `IsInCIDR(attributes["a"], ["10.0.0.0/8"])`, `Log(attributes["a"]) > 1`, `attributes["a"] / 0 == 1`, `SHA256(attributes["a"]) == "x"`,
	`attributes[attributes["a"]] == "x"`, `ConvertCase(attributes["a"], "upper") == "x"`, `ToKeyValueString(attributes["a"]) == "x"`, `IsMatch(name, attributes["a"])`,
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
func logOf(t *testing.T, when string, anchors ...*condition.Place) *observer.ObservedLogs {
	t.Helper()
	return logOfExpectation(t, evaluate.IgnoreErrors, func(telemetry component.TelemetrySettings) evaluate.Expectation {
		return evaluate.Expectation{Name: "x", Text: when, When: conditionOf(t, telemetry, when)}
	}, anchors...)
}

// logOfExpectation returns the log of an expectation that is evaluated on each of the anchors, until the shutdown.
func logOfExpectation(t *testing.T, mode evaluate.ErrorMode, expectation func(component.TelemetrySettings) evaluate.Expectation, anchors ...*condition.Place) *observer.ObservedLogs {
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
func anchorWith(t *testing.T, a any) *condition.Place {
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
	return &condition.Place{Resource: rs, Scope: ss, Span: span}
}

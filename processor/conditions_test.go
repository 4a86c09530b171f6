package processor

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	expectations "github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The log says where a condition failed. It has the text of the error if that is about types alone.
func TestErrorsOfConditions(t *testing.T) {
	const hidden = "annotate.values: true logs its text"
	for _, tc := range []struct {
		when   string
		a      any // the attribute "a"
		want   string
		reason string
	}{
		{`HasPrefix(attributes["a"], "x")`, 47110000000011, "expected string but got int64", "a type, and no value"},
		{`HasPrefix(attributes["a"], "x")`, nil, "expected string but got nil", "nothing is there"},
		{`HasPrefix(attributes["a"], "x")`, []any{canary}, "expected string but got pcommon.Slice", "likewise"},
		{`name == "x" and HasPrefix(attributes["a"], "y")`, 47110000000011, "expected string but got int64", "a part failed"},
		{`Int(ParseJSON(attributes["a"])["x"]) == 1`, canary, hidden, "OTTL quotes the value here"},
		{`ParseInt(attributes["a"], 10) == 1`, canary, hidden, "and here"},
		{`Time(attributes["a"], "%Y-%m-%d") == nil`, canary, hidden, "and here"},
	} {
		t.Run(fmt.Sprint(tc.when, " of ", tc.a), func(t *testing.T) {
			logged := logOf(t, evaluate.IgnoreErrors, func(telemetry component.TelemetrySettings) evaluate.Expectation {
				return evaluate.Expectation{Name: "x", Text: tc.when, When: conditionOf(t, telemetry, tc.when)}
			}, anchorWith(t, tc.a))
			require.Equal(t, 1, logged.FilterMessageSnippet("failed on a span").Len())
			entry := logged.All()[0].ContextMap()
			require.NotContains(t, everything(t, logged), canary, tc.reason)
			require.NotContains(t, everything(t, logged), "47110000000011", tc.reason)
			require.Equal(t, tc.when, entry["when"])
			require.Contains(t, entry["error"], tc.want, tc.reason)
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
		none := func(string) *scoring.Expectation { return nil }
		return evaluate.Expectation{Name: "x", Cases: &evaluate.Cases{Key: key, Text: text, Find: none}}
	}
	anchors := []*conditions.Place{anchorWith(t, `{"x": "y"}`)} // this one does not fail
	for range 101 {
		anchors = append(anchors, anchorWith(t, canary))
	}
	logged := logOf(t, evaluate.IgnoreErrors, dataset, anchors...)
	var counts []int64
	for _, entry := range logged.All() {
		require.Contains(t, entry.Message, "the key of a dataset failed on")
		require.Equal(t, text, entry.ContextMap()["dataset.key"])
		require.Contains(t, entry.ContextMap()["error"], "annotate.values: true logs its text", "OTTL quotes the value here")
		counts = append(counts, entry.ContextMap()["failures"].(int64))
	}
	require.Equal(t, []int64{1, 10, 100}, counts)
	require.NotContains(t, everything(t, logged), canary, "values are private")
	require.Zero(t, logOf(t, evaluate.SilenceErrors, dataset, anchors...).Len())
}

// logOf returns the log of an expectation that is evaluated on each of the anchors, until the shutdown.
func logOf(t *testing.T, mode string, expectation func(component.TelemetrySettings) evaluate.Expectation, anchors ...*conditions.Place) *observer.ObservedLogs {
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

// where is an expected tool with a condition.
func where(tb testing.TB, name, text string) scoring.Tool {
	p, err := conditions.NewParser(componenttest.NewNopTelemetrySettings())
	require.NoError(tb, err)
	c, err := p.Where(text)
	require.NoError(tb, err)
	return scoring.Tool{Name: name, Where: c}
}

// expect makes these settings the expectation of all runs.
func expect(tb testing.TB, s scoring.ExpectationSettings) func(*Settings, *sink) {
	e, err := scoring.NewExpectation(s)
	require.NoError(tb, err)
	return func(set *Settings, _ *sink) {
		set.Expectations[0].Expected = e
		set.Run.KeepArguments, set.Run.KeepOutput = e.Compares()
	}
}

// A condition that fails decides its call, is counted, and is logged or not as the error mode says; no value is logged.
func TestWhereFails(t *testing.T) {
	for _, tc := range []struct {
		mode                 string
		status, says, reason string
		logs                 int
	}{
		{evaluate.IgnoreErrors, "scored", "the condition of refund could not be evaluated on 1 call", "the call does not match", 1},
		{evaluate.SilenceErrors, "scored", "the condition of refund could not be evaluated on 1 call", "the log stays silent, the verdict does not", 0},
		{evaluate.PropagateErrors, "error", `Not scored: a condition on calls of refund could not be evaluated.`, "a wrong condition is not a wrong run", 1},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, k *sink) {
				expect(t, scoring.ExpectationSettings{Tools: []scoring.Tool{where(t, "refund", `Int(ParseJSON(arguments["order_id"])["x"]) == 1`)}})(s, k)
				s.ErrorMode = tc.mode
			}, func(t *testing.T, r *rig) {
				core, logged := observer.New(zap.InfoLevel)
				r.logger = zap.New(core)
				require.NoError(t, r.send(agent("a", "", 1, 9), tool("t", "a", 2, 5, "refund").with("gen_ai.tool.call.arguments", `{"order_id": "A17"}`)))
				r.after(time.Minute, 2)
				got := r.verdict("a")
				require.Equal(t, tc.status, got["tool_correctness.status"], tc.reason)
				require.Equal(t, false, got["tool_correctness.passed"], tc.reason)
				require.Contains(t, got["tool_correctness.reason"], tc.says, tc.reason)
				require.Equal(t, 1, r.total("condition_errors"))
				entries := logged.FilterMessageSnippet("failed on a call").All()
				require.Len(t, entries, tc.logs, tc.reason)
				for _, e := range entries {
					require.Contains(t, e.ContextMap()["error"], "annotate.values: true logs its text", "OTTL quotes the value here")
					require.NotContains(t, fmt.Sprint(e.ContextMap()), "A17", "values are private")
				}
			})
		})
	}
}

// canary represents what users and models said, in values and in keys of maps. Tools and the expectation's keys may be
// logged; it may not.
const canary = "canary-of-a-private-value"

// No log and no reason has an attribute's value, under any fault and at any log level, unless annotate.values asks for it.
func TestValuesStayPrivate(t *testing.T) {
	for _, quotes := range []bool{false, true} {
		logged, reasons := tellAll(t, quotes)
		require.Contains(t, logged, "judged a run")
		require.Contains(t, logged, "the condition of an expectation failed on a span")
		require.Contains(t, logged, "they are lost")
		if quotes {
			require.Contains(t, reasons, canary, "a reason that may quote does, so that this test can fail")
			require.Contains(t, logged, "invalid character 'c'", "and so does the log of a condition that failed")
		} else {
			require.NotContains(t, reasons, canary)
			require.NotContains(t, logged, canary)
			require.NotContains(t, logged, "invalid character 'c'")
			require.Contains(t, reasons, "argument")
		}
	}
}

// tellAll causes every fault that can be reported, and returns all logs and all reasons.
func tellAll(t *testing.T, quotes bool) (logged, reasons string) {
	var written strings.Builder
	core, logs := observer.New(zap.DebugLevel)
	r := newRig(t, nil)
	telemetry := r.telemetry.NewTelemetrySettings()
	telemetry.Logger = zap.New(core)
	fails := failing(t, telemetry)
	set := r.set
	set.QuoteValues, set.AnnotateCalls = quotes, true
	set.Run.KeepArguments, set.Run.KeepOutput = true, true
	set.Metrics = verbose(t)
	set.Expectations = []evaluate.Expectation{
		{Name: "fails", When: fails, Expected: expecting(t), Metrics: set.Metrics},
		{Name: "read", When: conditionOf(t, telemetry, `attributes["expected"] != nil`), FromAttribute: "expected", Parse: expectations.Parse, Metrics: set.Metrics},
		{Name: "0", Expected: expecting(t), Metrics: set.Metrics},
	}
	native := set.Metrics[0]
	for _, text := range []string{
		`arguments["q"] == "x"`, `IsMatch(output, "x")`, `Int(ParseJSON(arguments)["x"]) == 1`, `ParseJSON(run.attributes["user.name"])["x"] == 1`,
		`Time(arguments["q"], "%Y") != nil`, `arguments["q"]["x"] == 1`, `ParseInt(run.attributes["user.name"], 10) == 1`,
	} {
		native.Name = text
		x, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{where(t, "search", text)}})
		require.NoError(t, err)
		set.Metrics = append(set.Metrics, native)
		set.Expectations = append(set.Expectations, evaluate.Expectation{Name: text, Expected: x, Metrics: []evaluate.Metric{native}})
	}
	p, err := New(set, telemetry, r.sink)
	require.NoError(t, err)
	p.clock.stop()
	for i, expected := range []string{
		"", canary, `{"` + canary + `": 1}`, `[{"name": "search", "` + canary + `": 1}]`, `[1, "` + canary + `"`, `["search", {"name": 1, "arguments": "` + canary + `"}]`,
		`[{"name": "search", "arguments": {"q": "` + canary + `"}}]`,
	} {
		require.NoError(t, p.ConsumeTraces(t.Context(), traces(privateSpans(byte(i), expected, privateArguments...)...)))
	}
	for i, arguments := range privateArguments { // alone, so that each is what its reason is about
		require.NoError(t, p.ConsumeTraces(t.Context(), traces(privateSpans(byte(20+i), "", arguments)...)))
	}
	p.Advance(t.Context(), time.Hour)
	p.Advance(t.Context(), time.Hour) // all traces record one call id, so they waited for each other
	callVerdicts := 0
	for _, s := range r.sink.spans {
		for key, value := range s.Attributes().All() {
			if strings.HasSuffix(key, ".call.verdict") || strings.HasSuffix(key, ".call.credit") {
				require.NotContains(t, value.AsString(), canary)
				callVerdicts++
			}
			if strings.HasSuffix(key, ".reason") {
				written.WriteString(value.Str())
			}
		}
	}
	require.Positive(t, callVerdicts)
	require.NoError(t, p.ConsumeTraces(t.Context(), traces(privateSpans(100, "", privateArguments...)...)))
	r.sink.refuse(consumererror.NewPermanent(errors.New("no such tenant")))
	require.NoError(t, p.Shutdown(t.Context()))
	return everything(t, logs), written.String()
}

// everything is all that was logged, fields included, as a collector writes it.
func everything(t *testing.T, logs *observer.ObservedLogs) string {
	var all strings.Builder
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	for _, entry := range logs.All() {
		line, err := encoder.EncodeEntry(entry.Entry, entry.Context)
		require.NoError(t, err)
		all.WriteString(line.String())
	}
	return all.String()
}

// privateArguments have private values, and some have private keys.
var privateArguments = []any{
	`{"q": "` + canary + `"}`, `{"q": "` + canary, canary, map[string]any{"q": canary}, `["` + canary + `"]`, `{"q": {"k": "` + canary + `"}}`,
	`{"` + canary + `": 1, "q": "x"}`, `{"q": {"` + canary + `": {"` + canary + `": 1}}}`, map[string]any{"q": "x", "r": 1, canary: 1},
}

// privateSpans returns a run in which every value is private: arguments, outputs and messages, valid JSON or not.
func privateSpans(trace byte, expected string, arguments ...any) []span {
	a := agent("a"+string('a'+rune(trace)), "", 1, 9).in(trace).with("user.name", canary).with("gen_ai.input.messages", canary)
	if expected != "" {
		a = a.with("expected", expected)
	}
	spans := []span{a}
	for i, arguments := range arguments {
		id := "t" + string('a'+rune(trace)) + string('a'+rune(i)) // other than the agents'
		spans = append(spans, tool(id, a.id, 2+i, 3+i, "search").in(trace).
			with("gen_ai.tool.call.arguments", arguments).with("gen_ai.tool.call.result", arguments))
	}
	m := model("m"+string('a'+rune(trace)), a.id, 1, 2, []string{"call_abcdefgh"}, "search call_abcdefghi").in(trace)
	return append(spans, m.with("llm.input_messages.1.message.content", canary).
		with("llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", `{"q": "`+canary+`"}`))
}

// conditionOf is a condition as a configuration has it.
func conditionOf(t *testing.T, telemetry component.TelemetrySettings, text string) evaluate.Condition {
	parser, err := conditions.NewParser(telemetry)
	require.NoError(t, err)
	c, err := parser.When(text)
	require.NoError(t, err)
	return c
}

// failing is a condition whose error quotes the value that it failed on.
func failing(t *testing.T, telemetry component.TelemetrySettings) evaluate.Condition {
	return conditionOf(t, telemetry, `Int(ParseJSON(attributes["user.name"])["x"]) == 1`)
}

func expecting(t *testing.T) *scoring.Expectation {
	e, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{
		{Name: "search", Arguments: scoring.JSON(`{"q": "x", "r": 1}`), Output: scoring.JSON(`{"s": "y"}`)},
		{Name: "lookup"},
	}})
	require.NoError(t, err)
	return e
}

// verbose has a metric of each method and each way to compare, and all log their steps.
func verbose(t *testing.T) []evaluate.Metric {
	all := comparing(t)
	for _, mode := range []scoring.ArgumentMode{scoring.ArgumentsExact, scoring.ArgumentsSuperset, scoring.ArgumentsPartial, scoring.ArgumentsFuzzy} {
		o := scoring.DefaultNative()
		o.Arguments, o.Output = mode, scoring.OutputExact
		m, err := scoring.NewNative(o)
		require.NoError(t, err)
		all = append(all, evaluate.Metric{Method: m})
	}
	for i := range all {
		all[i].Name, all[i].Reason, all[i].Verbose = "m"+string('a'+rune(i)), true, true
	}
	return all
}

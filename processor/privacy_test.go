package processor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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
		{Name: "read", When: conditionOf(t, telemetry, `attributes["expected"] != nil`), FromAttribute: "expected", Metrics: set.Metrics},
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

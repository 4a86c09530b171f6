package acceptance

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// twoMetrics has a native metric and one with a reference method.
const twoMetrics = `metrics: {n: {native: }, r: {deepeval: }}, `

// Each metric uses the first expectation that applies to it and whose condition holds. The run is of the agent "desk", which
// called search once. before is on its span first, and want afterwards, without the keys of gone.
func TestEachMetricMeetsItsOwnExpectation(t *testing.T) {
	for _, tc := range []struct {
		claim, yaml, reason string
		before, want        map[string]any
		gone                []string
	}{
		{
			"two kinds of metric",
			twoMetrics + `expectations: [{name: counts, tools: [{name: search, count: {max: 2}}], metrics: [n]}, {name: names, tools: [search, mail]}]`,
			"keys of the native method stand beside a reference method", nil,
			map[string]any{"n.score": 1.0, "r.score": 0.5, runExpectation: "counts", "r.expectation": "names", runExpected: []any{"search"}, runMissing: []any{}},
			[]string{"n.expectation"},
		},
		{
			"the same expectation",
			twoMetrics + `expectations: [{name: x, tools: [search]}, {name: y, tools: [mail]}]`,
			"it is said once, and what an earlier processor said goes", map[string]any{"n.expectation": "old", "r.expectation": "old"},
			map[string]any{"n.score": 1.0, "r.score": 1.0, runExpectation: "x", runExpected: []any{"search"}, runMissing: []any{}},
			[]string{"n.expectation", "r.expectation"},
		},
		{
			"a condition that does not hold",
			twoMetrics + `expectations: [{name: x, tools: [search], metrics: [r], when: 'name == "other"'}, {name: y, tools: [mail], metrics: [r]}, {name: z, tools: [search]}]`,
			"r goes on to its next, and n to the only one that is for it", nil,
			map[string]any{"n.score": 1.0, "r.score": 0.0, runExpectation: "z", "r.expectation": "y", runExpected: []any{"search"}, runMissing: []any{}},
			[]string{"n.expectation"},
		},
		{
			"a metric without an expectation",
			twoMetrics + `expectations: [{name: x, tools: [search], metrics: [n]}, {name: y, tools: [mail], when: 'name == "other"'}]`,
			"it writes nothing, and what an earlier processor wrote for it goes",
			map[string]any{"r.score": 0.25, "r.passed": true, "r.reason": "old", "r.threshold": 0.1, "r.status": "scored", "r.expectation": "old", "r.other": "kept"},
			map[string]any{"n.score": 1.0, runExpectation: "x", "r.other": "kept", runExpected: []any{"search"}, runMissing: []any{}},
			[]string{"r.score", "r.passed", "r.reason", "r.threshold", "r.status", "r.expectation", "n.expectation"},
		},
		{
			"the first metric has none",
			twoMetrics + `expectations: [{name: x, tools: [mail], metrics: [r]}]`,
			"the run has the expectation of the first metric that met one", nil,
			map[string]any{"r.score": 0.0, runExpectation: "x", runExpected: []any{"mail"}, runMissing: []any{"mail"}},
			[]string{"n.status", "r.expectation"},
		},
		{
			"no metric has one",
			twoMetrics + `expectations: [{name: x, tools: [mail], metrics: [r], when: 'name == "other"'}]`,
			"nothing is written, and what an earlier processor wrote goes", map[string]any{"r.score": 0.25, "n.expectation": "old"},
			nil,
			[]string{runExpectation, runExpected, "r.status", "n.status", "r.score", "n.expectation"},
		},
		{
			"the metric called tool_correctness leads",
			`metrics: {a: {galtea: }, tool_correctness: {native: }}, expectations: [{name: x, tools: [mail], metrics: [a]}, {name: y, tools: [search]}]`,
			"tool_correctness.expectation is what it writes itself", nil,
			map[string]any{"a.score": 0.0, "a.expectation": "x", "tool_correctness.score": 1.0, runExpectation: "y", runExpected: []any{"search"}, runMissing: []any{}},
			nil,
		},
		{
			"the metric called tool_correctness has none",
			`metrics: {a: {galtea: }, tool_correctness: {native: }}, expectations: [{name: x, tools: [mail], metrics: [a]}]`,
			"then another one leads", map[string]any{"tool_correctness.score": 0.25, "tool_correctness.reason": "old"},
			map[string]any{"a.score": 0.0, runExpectation: "x", runExpected: []any{"mail"}, runMissing: []any{"mail"}},
			[]string{"tool_correctness.score", "tool_correctness.reason", "a.expectation"},
		},
		{
			"from an attribute for one",
			twoMetrics + `expectations: [{name: x, from_attribute: expected, metrics: [n]}, {name: y, tools: [search]}]`,
			"what cannot be read of one expectation is no fault of the other", map[string]any{"expected": "no list"},
			map[string]any{"n.status": "not_evaluable", "r.score": 1.0, runExpectation: "x", "r.expectation": "y", runExpected: []any{}, runMissing: []any{}},
			[]string{"n.score", "n.expectation"},
		},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			spans := judgeDesk(t, tc.yaml, tc.before)
			for key, value := range tc.want {
				assert.Equal(t, value, spans["desk"][key], "%s: %s", key, tc.reason)
			}
			for _, key := range tc.gone {
				assert.NotContains(t, spans["desk"], key, tc.reason)
			}
		})
	}
}

// The attributes that describe the expectation of a run.
const (
	runExpectation = "tool_correctness.expectation"
	runExpected    = "tool_correctness.expected"
	runMissing     = "tool_correctness.missing"
)

// The span of a call has the classes by metrics with an expectation. Attributes of an earlier processor for other metrics are
// removed.
func TestCallsOfMetricsWithoutExpectation(t *testing.T) {
	spans := judgeDesk(t, twoMetrics+`annotate: {calls: true}, expectations: [{tools: [search], metrics: [n]}]`, nil)
	assert.Equal(t, "matched", spans["search"]["n.call.verdict"])
	assert.Equal(t, 1.0, spans["search"]["n.call.credit"])
	assert.NotContains(t, spans["search"], "r.call.verdict")
	assert.NotContains(t, spans["search"], "r.call.credit")
}

// judgeDesk sends a run of the agent "desk" through a processor. before is on the agent's span. It returns the
// attributes of the spans afterwards, by span name.
func judgeDesk(t *testing.T, yaml string, before map[string]any) map[string]map[string]any {
	t.Helper()
	cfg := mustLoad(t, "{"+yaml+"}")
	sink := new(consumertest.TracesSink)
	made, err := toolcorrectnessprocessor.NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(toolcorrectnessprocessor.NewFactory().Type()), cfg, sink)
	require.NoError(t, err)
	p := made.(*toolcorrectness.Processor)
	p.DryRun(func(evaluate.Report) {})
	require.NoError(t, p.ConsumeTraces(t.Context(), deskTraces(t, before)))
	p.Advance(t.Context(), cfg.Run.Wait)
	require.NoError(t, p.Shutdown(t.Context()))
	spans := map[string]map[string]any{}
	for _, td := range sink.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				spans[s.Name()] = s.Attributes().AsRaw()
			}
		}
	}
	require.Len(t, spans, 2)
	return spans
}

// deskTraces returns the agent's span "desk", with more attributes, and the span of its call of "search".
func deskTraces(t *testing.T, more map[string]any) ptrace.Traces {
	t.Helper()
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	add := func(name string, id, parent byte, attributes map[string]any) {
		s := spans.AppendEmpty()
		s.SetName(name)
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{id})
		s.SetParentSpanID(pcommon.SpanID{parent})
		s.SetStartTimestamp(pcommon.Timestamp(id) * 1e9)
		s.SetEndTimestamp(100e9 - pcommon.Timestamp(id)*1e9)
		require.NoError(t, s.Attributes().FromRaw(attributes))
	}
	desk := map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
	maps.Copy(desk, more)
	add("desk", 1, 0, desk)
	add("search", 2, 1, map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search",
		"n.call.verdict": "old", "n.call.credit": 0.5, "r.call.verdict": "old", "r.call.credit": 0.5,
	})
	return td
}

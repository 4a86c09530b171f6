package acceptance

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// Each metric uses the first expectation that applies to it and whose condition holds.
func TestEachMetricMeetsItsOwnExpectation(t *testing.T) {
	for _, tc := range fromTestdata[[]struct {
		Claim, Reason              string
		Config, Before, Want, Call map[string]any
		Gone                       []string
		CallGone                   []string `yaml:"call_gone"`
	}]("metrics_apart") {
		t.Run(tc.Claim, func(t *testing.T) {
			spans := judgeDesk(t, tc.Config, tc.Before)
			check := func(span string, want map[string]any, gone []string) {
				for key, value := range want {
					assert.Equal(t, value, spans[span][key], "%s: %s", key, tc.Reason)
				}
				for _, key := range gone {
					assert.NotContains(t, spans[span], key, tc.Reason)
				}
			}
			check("desk", tc.Want, tc.Gone)
			check("search", tc.Call, tc.CallGone)
		})
	}
}

// judgeDesk sends a run of the agent "desk" through a processor. before is on the agent's span. It returns the
// attributes of the spans afterwards, by span name.
func judgeDesk(t *testing.T, config, before map[string]any) map[string]map[string]any {
	t.Helper()
	cfg, err := unmarshal(confmap.NewFromStringMap(config))
	require.NoError(t, err)
	sink := new(consumertest.TracesSink)
	made, err := toolcorrectnessprocessor.NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(toolcorrectnessprocessor.NewFactory().Type()), cfg, sink)
	require.NoError(t, err)
	p := made.(*toolcorrectness.Processor)
	p.DryRun(func(evaluate.Report) {})
	require.NoError(t, p.ConsumeTraces(t.Context(), deskTraces(t, before)))
	p.Advance(t.Context(), cfg.Run.Wait)
	require.NoError(t, p.Shutdown(t.Context()))
	spans := map[string]map[string]any{}
	for s := range spansOf(sink.AllTraces()...) {
		spans[s.Name()] = s.Attributes().AsRaw()
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

package acceptance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

// The collector's gen_ai_normalizer, behind this processor, changes no verdict under any configuration. That includes the
// form of OpenInference, whose other attributes it renames.
func TestVerdictsBehindTheProcessorNormalized(t *testing.T) {
	spans := 0
	for _, library := range someLibraries(t) {
		if !strings.HasPrefix(library.Name, "openinference-") && !strings.HasPrefix(library.Name, "traceloop-") {
			continue
		}
		for _, scenario := range library.Scenarios {
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				judged := judgedSpans(t, scenario.Requests)
				want := verdictsOn(judged)
				spans += len(want)
				for _, n := range normalizers {
					assert.Equal(t, want, verdictsOn(n.normalized(judged)), n.name)
				}
			})
		}
	}
	require.Greater(t, spans, 20, "scenarios without an agent's span have no verdict; most have one")
}

// judgedSpans returns the spans that leave a processor.
func judgedSpans(t *testing.T, requests []ptrace.Traces) []ptrace.Traces {
	t.Helper()
	cfg := defaultConfig()
	cfg.Expectations = []toolcorrectnessprocessor.ExpectationConfig{{Tools: []toolcorrectnessprocessor.ToolConfig{{Name: "get_weather"}, {Name: "lookup_order"}}}}
	cfg.Annotate.As = []string{"native", "langwatch"}
	sink := new(consumertest.TracesSink)
	p, err := toolcorrectnessprocessor.NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(toolcorrectnessprocessor.NewFactory().Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	for _, td := range requests {
		sent := ptrace.NewTraces()
		td.CopyTo(sent)
		require.NoError(t, p.ConsumeTraces(t.Context(), sent))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	return sink.AllTraces()
}

// verdictsOn returns the attributes that the processor wrote, by span.
func verdictsOn(all []ptrace.Traces) map[pcommon.SpanID]map[string]any {
	written := map[pcommon.SpanID]map[string]any{}
	for _, td := range all {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					for key, value := range span.Attributes().All() {
						if !strings.HasPrefix(key, "tool_correctness.") {
							continue
						}
						if written[span.SpanID()] == nil {
							written[span.SpanID()] = map[string]any{}
						}
						written[span.SpanID()][key] = value.AsRaw()
					}
				}
			}
		}
	}
	return written
}

package processor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// histogram returns the points of a histogram of the processor.
func (r *rig) histogram(name string) []metricdata.HistogramDataPoint[float64] {
	r.t.Helper()
	m, err := r.telemetry.GetMetric("otelcol_processor_tool_correctness_" + name)
	require.NoError(r.t, err)
	return m.Data.(metricdata.Histogram[float64]).DataPoints
}

// A score and its verdict are counted under the expectation that the run met. Exemplars of runs that close together lead to these runs,
// and not to the last one of them: the SDK reads an exemplar when it collects.
func TestVerdictsAreCountedByExpectation(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(
			agent("a", "", 0, 10).in(1), tool("t", "a", 1, 2, "search").in(1), // it passes
			agent("b", "", 0, 10).in(2), // it does not
		))
		r.after(time.Minute, 3)
		require.Equal(t, 2, r.totalWith("verdicts", "expectation", "0"))
		of := map[string]string{}
		for _, p := range r.histogram("score") {
			passed, _ := p.Attributes.Value("passed")
			expectation, _ := p.Attributes.Value("expectation")
			require.Equal(t, attribute.StringValue("0"), expectation)
			for _, e := range p.Exemplars {
				require.NotEmpty(t, e.TraceID)
				of[string(bytes.TrimRight(e.SpanID, "\x00"))] += fmt.Sprint(e.Value, passed.AsBool())
			}
		}
		require.Equal(t, map[string]string{"a": "1 true", "b": "0 false"}, of)
	})
}

// Scores on both sides of a round threshold, 0 and 1 are in different buckets.
func TestBucketsKeepThresholdsApart(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		r.Processor.metrics.verdict(t.Context(), "m", &evaluate.Result{}, &runs.Run{})
		bounds := r.histogram("score")[0].Bounds // each the highest score of its bucket
		bucket := func(score float64) int { at, _ := slices.BinarySearch(bounds, score); return at }
		last := bucket(0)
		for _, threshold := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1} {
			require.Less(t, bucket(threshold-0.0011), bucket(threshold), "scores just below %v and at it", threshold)
			require.Greater(t, bucket(threshold), last)
			last = bucket(threshold)
		}
	})
}

// A name of an agent is cut and escaped on metrics as on its span.
func TestAgentsAreNamedOnMetricsAsOnSpans(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 300), "a\x00b"} {
		withFakeClock(t, func(s *Settings, _ *sink) { s.AgentNames = 1 }, func(t *testing.T, r *rig) {
			require.NoError(t, r.send(agent("a", "", 0, 10).with("gen_ai.agent.name", name)))
			r.after(time.Minute, 1)
			require.Equal(t, 1, r.total("verdicts"))
			require.Zero(t, r.totalWith("verdicts", "agent", name))
			require.Equal(t, 1, r.totalWith("verdicts", "agent", evaluate.ShownName(name)))
		})
	}
}

package processor

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/metrics"
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
		r.Processor.metrics.Verdict(t.Context(), "m", &evaluate.Result{}, &runs.Run{})
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

// The metrics of verdicts have as many names of agents as the settings allow.
func TestAgentsOnMetrics(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct {
		name   string
		most   int
		agents []string
		want   map[string]int // verdicts by the agent's name
		reason string
	}{
		{"none asked for", 0, []string{"a", "b"}, map[string]int{"a": 0, "b": 0, metrics.OtherAgents: 0}, "senders choose names, so the default has none"},
		{"as many as come", 2, []string{"a", "b", "a"}, map[string]int{"a": 2, "b": 1, metrics.OtherAgents: 0}, "a known name needs no further place"},
		{"more than asked for", 2, []string{"a", "b", "c", "a", "d"}, map[string]int{"a": 2, "b": 1, "c": 0, "d": 0, metrics.OtherAgents: 2}, "the first names keep their places"},
		{"an agent without a name", 1, []string{"", "a"}, map[string]int{"": 0, "a": 1, metrics.OtherAgents: 0}, "no name takes no place"},
		{"a long name", 1, []string{long}, map[string]int{long: 0, evaluate.ShownName(long): 1}, "a name is cut as on the span"},
		{"text that is not visible", 1, []string{"a\x00b"}, map[string]int{"a\x00b": 0, evaluate.ShownName("a\x00b"): 1}, "a name is escaped as on the span"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, _ *sink) { s.AgentNames = tc.most }, func(t *testing.T, r *rig) {
				for i, name := range tc.agents {
					s := agent(strconv.Itoa(i), "", 0, 10)
					s.trace = byte(i + 1)
					if name != "" {
						s.attributes["gen_ai.agent.name"] = name
					}
					require.NoError(t, r.send(s))
					r.after(time.Minute, i+1) // one run after the other, so that the first name comes first
				}
				require.Equal(t, len(tc.agents), r.total("verdicts"))
				for name, want := range tc.want {
					require.Equal(t, want, r.totalWith("verdicts", "agent", name), "%q: %s", name, tc.reason)
				}
			})
		})
	}
}

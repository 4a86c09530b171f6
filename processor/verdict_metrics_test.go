package processor

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
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
		bucket := func(score float64) int {
			res := &evaluate.Result{Expectation: "0", Verdict: scoring.Verdict{Score: score}}
			before := map[int]uint64{}
			r.Processor.verdicts.Count(t.Context(), res, &runs.Run{})
			for _, p := range r.histogram("score") {
				for i, n := range p.BucketCounts {
					before[i] += n
				}
			}
			r.Processor.verdicts.Count(t.Context(), res, &runs.Run{})
			for _, p := range r.histogram("score") {
				for i, n := range p.BucketCounts {
					if n > before[i] {
						return i
					}
				}
			}
			t.Fatal("the score is in no bucket")
			return 0
		}
		last := bucket(0)
		require.Zero(t, last)
		for _, threshold := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1} {
			below, at := bucket(threshold-0.0011), bucket(threshold)
			require.Less(t, below, at, "scores just below %v and at it", threshold)
			require.Greater(t, at, last)
			last = at
		}
	})
}

// The delay of a verdict is the time from the end of the agent's span until its release. Where the sender's clock is ahead,
// it is 0.
func TestDelayOfVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		ended time.Duration // before the span came
		want  float64
	}{
		"the wait after a span that came at once":        {0, 10},
		"the wait after a span that came a minute late":  {time.Minute, 70},
		"a clock that is an hour ahead of the processor": {-time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			withFakeClock(t, nil, func(t *testing.T, r *rig) {
				td := traces(agent("a", "", 0, 10))
				span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
				span.SetStartTimestamp(1)
				span.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Now().Add(-c.ended)))
				r.sent++
				require.NoError(t, r.ConsumeTraces(t.Context(), td))
				r.after(time.Minute, 1)
				points := r.histogram("verdict_delay")
				require.Len(t, points, 1)
				require.InDelta(t, c.want, points[0].Sum, 0.2)
			})
		})
	}
}

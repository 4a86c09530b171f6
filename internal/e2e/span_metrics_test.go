//go:build contrib

package e2e

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted is how many spans a metric counts.
func (b *backend) counted(name string) (n uint64) {
	all, _ := b.seriesOf(name)
	for _, s := range all {
		n += s.count
	}
	return n
}

// Span metrics behind the processor count each run once, by its verdict, with labels that no sender chooses but service.name.
func TestPipelineCountsRunsByVerdict(t *testing.T) {
	b := startBackend(t)
	c := startExample(t, "span-metrics", []string{"BACKEND_ENDPOINT=" + b.endpoint, "SERIES=200"}, "overlay-backend", "overlay-span-metrics")
	good, bad := runs(t, c, 10)
	eventually(t, "all runs were counted", func() bool { return b.counted("agent.runs.calls") >= 20 })
	eventually(t, "all spans came out", func() bool { return len(b.counts()) == spansIn(good)+spansIn(bad) })
	c.stop(t)
	wantOnce(t, b, append(good, bad...)...)

	for _, metric := range []string{"agent.runs.calls", "agent.runs.duration"} {
		all, exemplars := b.seriesOf(metric)
		require.True(t, exemplars[good[0].anchor] || exemplars[bad[0].anchor], "exemplars name the spans of runs")
		require.Len(t, all, 2, "one for runs that passed, one for the others")
		for _, s := range all {
			passed := s.labels["tool_correctness.passed"]
			require.Contains(t, []any{true, false}, passed)
			require.Equal(t, map[string]any{
				"service.name": "shop", "status.code": "STATUS_CODE_UNSET", "tool_correctness.expectation": "refund",
				"tool_correctness.status": "scored", "tool_correctness.passed": passed, "tool_correctness.complete": true,
			}, s.labels)
			require.Equal(t, uint64(10), s.count, "calls and spans of other kinds are not counted")
		}
	}
}

// Runs beyond the limit of series are counted without their labels: the number of series has a bound, and no run is missing.
func TestPipelineBoundsSeriesOfSpanMetrics(t *testing.T) {
	b := startBackend(t)
	c := startExample(t, "span-metrics", []string{"BACKEND_ENDPOINT=" + b.endpoint, "SERIES=1"}, "overlay-backend", "overlay-span-metrics")
	runs(t, c, 5)
	eventually(t, "all runs were counted", func() bool { return b.counted("agent.runs.calls") >= 10 })
	c.stop(t)
	all, _ := b.seriesOf("agent.runs.calls")
	require.Len(t, all, 2, "the first one, and that of the rest")
	require.Equal(t, uint64(10), b.counted("agent.runs.calls"))
	require.True(t, slices.ContainsFunc(all, func(s series) bool {
		return slices.Contains(slices.Collect(maps.Keys(s.labels)), "otel.metric.overflow")
	}))
}

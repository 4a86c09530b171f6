//go:build contrib

package e2e

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// A series is the last point of a time series of span metrics.
type series struct {
	labels map[string]any
	count  uint64
}

// seriesOf are those of a metric in the last request of metrics, which are cumulative. exemplars are those of all requests: the
// connector sends each once.
func (b *backend) seriesOf(name string) (last []series, exemplars map[spanID]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	exemplars = map[spanID]bool{}
	for _, request := range b.metrics {
		last = nil
		for _, rm := range request.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					if m.Name() == name {
						last = append(last, points(m, exemplars)...)
					}
				}
			}
		}
	}
	return last, exemplars
}

// points are a metric's series. It adds the spans of their exemplars.
func points(m pmetric.Metric, exemplars map[spanID]bool) (all []series) {
	add := func(labels pcommon.Map, count uint64, of pmetric.ExemplarSlice) {
		s := series{labels.AsRaw(), count}
		delete(s.labels, "collector.instance.id")
		all = append(all, s)
		for _, e := range of.All() {
			exemplars[spanID{e.TraceID(), e.SpanID()}] = true
		}
	}
	if m.Type() == pmetric.MetricTypeSum {
		for _, p := range m.Sum().DataPoints().All() {
			add(p.Attributes(), uint64(p.IntValue()), p.Exemplars())
		}
		return all
	}
	for _, p := range m.Histogram().DataPoints().All() {
		add(p.Attributes(), p.Count(), p.Exemplars())
	}
	return all
}

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

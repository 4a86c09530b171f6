// Package e2e tests the collector of `make build` as a process over the network, between an instrumented agent's OTLP
// exporters and a backend's OTLP receiver.
//
//	agent_test.go ──OTLP──> collector of ./dist ──OTLP──> backend_test.go
//	                        collector_test.go
//	                        process_test.go
//
// It is a module of its own, because its dependencies are only for tests. It fails, and does not skip, if there is no built
// collector. Tests that need a program besides Go run by
// `make e2e WITH=name`: see internal/tools/e2e.sh. Kills and outages, chaos_*_test.go, run by `make chaos`.
//
//	contrib     the collector's other components     page        the HTML report in a browser
//	formats     JUnit by another validator           references  DeepEval and others, run again
//	hostile     attacks beside an honest sender      spans       for chaos and hostile: spans and verdicts
//	kubernetes  the manifests of deploy/kubernetes   yardsticks  the verdicts of published benchmarks
package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestVerdictsComeOutWithTheSpans(t *testing.T) {
	b := startBackend(t)
	c := startCollector(t, b.endpoint, 100*time.Millisecond)

	good := runAgent(t, overGRPC(t, c), "search_orders", "refund_order")
	bad := runAgent(t, overHTTP(t, c), "search_orders", "web_search")
	eventually(t, "all spans came out", func() bool { return len(b.counts()) == len(good.spans)+len(bad.spans) })
	c.stop(t)

	wantOnce(t, b, good, bad)
	wantVerdict(t, b, good, verdict{score: 1, passed: true, called: []string{"search_orders", "refund_order"}, closedBy: "anchor"})
	wantVerdict(t, b, bad, verdict{
		score: 0.5, called: []string{"search_orders", "web_search"}, closedBy: "anchor",
		missing: []string{"refund_order"}, unexpected: []string{"web_search"},
	})
	wantRecord(t, b, good, "pass", 1)
	wantRecord(t, b, bad, "fail", 0.5)
}

// wantRecord requires that the connector made one log record of the run's verdict.
func wantRecord(t *testing.T, b *backend, run agentRun, label string, score float64) {
	t.Helper()
	records := b.recordsOf(run.anchor)
	require.Len(t, records, 1)
	require.Equal(t, "gen_ai.evaluation.result", records[0].EventName())
	attributes := records[0].Attributes().AsRaw()
	require.Equal(t, "tool_correctness", attributes["gen_ai.evaluation.name"])
	require.Equal(t, label, attributes["gen_ai.evaluation.score.label"])
	require.InDelta(t, score, attributes["gen_ai.evaluation.score.value"], 0)
	require.Equal(t, "refund", attributes["tool_correctness.expectation"])
}

func TestShutdownJudgesAndSendsWhatIsHeld(t *testing.T) {
	b := startBackend(t)
	c := startCollector(t, b.endpoint, time.Hour)

	overBoth := []agentRun{
		runAgent(t, overGRPC(t, c), "search_orders", "refund_order"),
		runAgent(t, overHTTP(t, c), "search_orders", "refund_order"),
	}
	eventually(t, "all spans but the agents' came out", func() bool { return len(b.counts()) == 2*len(overBoth[0].spans)-2 })
	for _, run := range overBoth {
		_, came := b.attributes(run.anchor)
		require.False(t, came, "the agent's span waits for its verdict")
	}
	c.stop(t)

	wantOnce(t, b, overBoth...)
	for _, run := range overBoth {
		wantVerdict(t, b, run, verdict{score: 1, passed: true, called: []string{"search_orders", "refund_order"}, closedBy: "shutdown"})
	}
}

// wantOnce requires that every span that went in came out once, and no other.
func wantOnce(t *testing.T, b *backend, runs ...agentRun) {
	t.Helper()
	want := map[spanID]int{}
	for _, run := range runs {
		for _, id := range run.spans {
			want[id] = 1
		}
	}
	require.Equal(t, want, b.counts())
}

// A verdict is what a test wants to read on an anchor.
type verdict struct {
	score                       float64
	passed                      bool
	called, missing, unexpected []string
	closedBy                    string
}

func wantVerdict(t *testing.T, b *backend, run agentRun, want verdict) {
	t.Helper()
	attributes, ok := b.attributes(run.anchor)
	require.True(t, ok, "the agent's span came out")

	require.InDelta(t, want.score, value(t, attributes, "score", pcommon.ValueTypeDouble).Double(), 0)
	require.InDelta(t, 0.8, value(t, attributes, "threshold", pcommon.ValueTypeDouble).Double(), 0)
	require.Equal(t, want.passed, value(t, attributes, "passed", pcommon.ValueTypeBool).Bool())
	require.Equal(t, "scored", value(t, attributes, "status", pcommon.ValueTypeStr).Str())
	require.Equal(t, "refund", value(t, attributes, "expectation", pcommon.ValueTypeStr).Str())
	require.Equal(t, want.closedBy, value(t, attributes, "closed_by", pcommon.ValueTypeStr).Str())
	require.Equal(t, want.closedBy == "anchor", value(t, attributes, "complete", pcommon.ValueTypeBool).Bool())
	require.NotEmpty(t, value(t, attributes, "config", pcommon.ValueTypeStr).Str())

	reason := value(t, attributes, "reason", pcommon.ValueTypeStr).Str()
	require.NotEmpty(t, reason)
	for _, tool := range append(want.missing, want.unexpected...) {
		require.Contains(t, reason, tool)
	}
	require.Equal(t, []string{"search_orders", "refund_order"}, names(attributes, "expected"))
	require.Equal(t, want.called, names(attributes, "called"))
	require.Equal(t, want.missing, names(attributes, "missing"))
	require.Equal(t, want.unexpected, names(attributes, "unexpected"))
}

func value(t *testing.T, attributes pcommon.Map, key string, kind pcommon.ValueType) pcommon.Value {
	t.Helper()
	v, ok := attributes.Get("tool_correctness." + key)
	require.True(t, ok, "tool_correctness.%s is there", key)
	require.Equal(t, kind, v.Type(), "type of tool_correctness.%s", key)
	return v
}

// names reads a list of names; none and an empty list are the same.
func names(attributes pcommon.Map, key string) []string {
	v, ok := attributes.Get("tool_correctness." + key)
	if !ok {
		return nil
	}
	var all []string
	for _, name := range v.Slice().All() {
		all = append(all, name.Str())
	}
	return all
}

package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two processors in one pipeline, for turns and for conversations, write verdicts, log records and series of their own.
func TestTwoProcessorsInOnePipeline(t *testing.T) {
	b := startBackend(t)
	c := startHealthy(t, "../../dist/otelcol-tool-correctness", processSettings{config: "testdata/two.yaml", env: []string{"BACKEND_ENDPOINT=" + b.endpoint}})
	first := runTurn(t, overGRPC(t, c), "chat-1", "search_orders")
	second := runTurn(t, overGRPC(t, c), "chat-1", "refund_order")
	eventually(t, "all spans came out", func() bool { return len(b.counts()) == len(first.spans)+len(second.spans) })
	verdicts := func() (all []string) {
		series, _ := b.seriesOf("otelcol_processor_tool_correctness_verdicts")
		for _, s := range series {
			all = append(all, fmt.Sprint(s.labels["processor"], " ", s.labels["metric"], " ", s.labels["expectation"], " ", s.labels["passed"], " ", s.count))
		}
		slices.Sort(all)
		return all
	}
	eventually(t, "all verdicts were counted", func() bool { return len(verdicts()) == 3 })
	require.Equal(t, []string{
		"tool_correctness/conversations conversation refund true 1",
		"tool_correctness/turns tool_correctness turn false 1",
		"tool_correctness/turns tool_correctness turn true 1",
	}, verdicts())
	limits, _ := b.seriesOf("otelcol_processor_tool_correctness_open_runs_limit")
	require.Len(t, limits, 2, "a gauge of each")
	c.stop(t)

	wantOnce(t, b, first, second)
	for _, tc := range []struct {
		run          agentRun
		score        float64
		called       string
		conversation bool // the last anchor represents it
	}{{first, 1, "search_orders", false}, {second, 0, "refund_order", true}} {
		attributes, ok := b.attributes(tc.run.anchor)
		require.True(t, ok)
		raw := attributes.AsRaw()
		require.Equal(t, tc.score, raw["tool_correctness.score"])
		require.Equal(t, "turn", raw["tool_correctness.expectation"])
		require.Equal(t, []any{tc.called}, raw["tool_correctness.called"])
		require.Equal(t, true, raw["tool_correctness.complete"])
		want := []string{"tool_correctness"}
		if tc.conversation {
			require.Equal(t, 1.0, raw["conversation.score"])
			require.Equal(t, "refund", raw["whole.expectation"])
			require.Equal(t, []any{"search_orders", "refund_order"}, raw["whole.called"])
			require.Equal(t, true, raw["whole.complete"])
			require.NotEqual(t, raw["tool_correctness.config"], raw["whole.config"])
			want = []string{"conversation", "tool_correctness"}
		} else {
			require.NotContains(t, raw, "conversation.score")
			require.NotContains(t, raw, "whole.called")
		}
		var records []string
		for _, r := range b.recordsOf(tc.run.anchor) {
			name, _ := r.Attributes().Get("gen_ai.evaluation.name")
			records = append(records, name.Str())
		}
		slices.Sort(records)
		require.Equal(t, want, records)
	}
}

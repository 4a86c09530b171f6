package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/collectorproc"
)

// A conversation waits for an approval beyond its idle timeout and a restart of the collector, and then has one verdict, which is complete.
func TestAnApprovalOutlastsARestart(t *testing.T) {
	b := startBackend(t)
	settings := collectorproc.Settings{Config: "testdata/approval.yaml", Env: []string{"BACKEND_ENDPOINT=" + b.endpoint, "STORAGE=" + t.TempDir()}}
	const binary = "../../dist/otelcol-tool-correctness"
	c := startProcess(t, binary, settings)
	search := runTurn(t, overGRPC(t, c), "chat-1", "search_orders")
	asks := runSpans(t, overGRPC(t, c), "chat-1", child{"chat model", []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_refund_a1b2","name":"refund_order","arguments":{}}]}]`),
	}})
	other := runTurn(t, overGRPC(t, c), "chat-2", "search_orders") // which shows that the idle timeout has passed
	eventually(t, "the other conversation is over", func() bool {
		_, came := b.attributes(other.anchor)
		return came
	})
	c.stop(t)
	for _, run := range []agentRun{search, asks} {
		_, came := b.attributes(run.anchor)
		require.False(t, came, "the conversation waits")
	}

	c = startProcess(t, binary, settings)
	refund := runSpans(t, overGRPC(t, c), "chat-1", child{"execute_tool refund_order", []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "refund_order"),
		attribute.String("gen_ai.tool.call.id", "call_refund_a1b2"),
	}})
	eventually(t, "the conversation is over", func() bool {
		_, came := b.attributes(refund.anchor)
		return came
	})
	c.stop(t)
	wantOnce(t, b, search, asks, other, refund)
	for run, represents := range map[*agentRun]bool{&search: false, &asks: false, &refund: true} {
		attributes, _ := b.attributes(run.anchor)
		raw := attributes.AsRaw()
		if !represents {
			require.NotContains(t, raw, "tool_correctness.score")
			continue
		}
		require.Equal(t, 1.0, raw["tool_correctness.score"], "%v", raw)
		require.Equal(t, true, raw["tool_correctness.complete"], "%v", raw)
		require.Equal(t, "idle", raw["tool_correctness.closed_by"])
		require.Equal(t, []any{"search_orders", "refund_order"}, raw["tool_correctness.called"])
	}
}

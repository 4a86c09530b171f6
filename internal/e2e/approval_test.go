package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A chatSpan is a span of a conversation: the agent's own has the ID 1, and the others are below it.
type chatSpan struct {
	trace, id  byte
	start, end int // seconds
	attributes map[string]any
}

func agentOf(trace byte, start, end int) chatSpan {
	return chatSpan{trace, 1, start, end, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"}}
}

func toolOf(trace byte, start, end int, name, id string) chatSpan {
	return chatSpan{trace, 2, start, end, map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": id}}
}

// asksForRefund is a model call that asks for the refund, which somebody has to approve.
func asksForRefund(trace byte, start, end int) chatSpan {
	return chatSpan{trace, 3, start, end, map[string]any{
		"gen_ai.operation.name":  "chat",
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_refund_a1b2","name":"refund_order","arguments":{}}]}]`,
	}}
}

// A conversation waits for an approval beyond its idle timeout and a restart of the collector, and then has one verdict, which is complete.
func TestAnApprovalOutlastsARestart(t *testing.T) {
	for _, tc := range []struct {
		name          string
		before, after []chatSpan
		last          byte // the trace whose agent's span represents the conversation
	}{
		{"inside a tool, in the second of three turns", []chatSpan{
			toolOf(1, 1, 2, "search_orders", "call_search_c3d4"), agentOf(1, 0, 3), asksForRefund(2, 11, 12),
		}, []chatSpan{
			toolOf(2, 12, 102, "refund_order", "call_refund_a1b2"), agentOf(2, 10, 103), agentOf(3, 110, 111),
		}, 3},
		{"between two traces", []chatSpan{
			toolOf(1, 1, 2, "search_orders", "call_search_c3d4"), agentOf(1, 0, 3), asksForRefund(2, 11, 12), agentOf(2, 10, 13),
		}, []chatSpan{
			toolOf(3, 301, 302, "refund_order", "call_refund_a1b2"), agentOf(3, 300, 303), agentOf(4, 310, 311),
		}, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := startBackend(t)
			settings := processSettings{config: "testdata/approval.yaml", env: []string{"BACKEND_ENDPOINT=" + b.endpoint, "STORAGE=" + t.TempDir()}}
			const binary = "../../dist/otelcol-tool-correctness"
			base := time.Now().Add(-10 * time.Minute)
			c := startHealthy(t, binary, settings)
			send(t, c, base, "chat-1", tc.before)
			const other = 9
			send(t, c, base, "chat-2", []chatSpan{agentOf(other, 0, 1)})
			came := func(trace byte) bool {
				_, came := b.attributes(smallID(trace, 1))
				return came
			}
			eventually(t, "another conversation is over, so the idle timeout has passed", func() bool { return came(other) })
			c.stop(t)
			for trace := byte(1); trace <= tc.last; trace++ {
				require.False(t, came(trace), "the conversation waits")
			}

			c = startHealthy(t, binary, settings)
			send(t, c, base, "chat-1", tc.after)
			eventually(t, "the conversation is over", func() bool { return came(tc.last) })
			c.stop(t)
			require.Len(t, b.counts(), len(tc.before)+len(tc.after)+1)
			for trace := byte(1); trace <= tc.last; trace++ {
				attributes, _ := b.attributes(smallID(trace, 1))
				raw := attributes.AsRaw()
				if trace < tc.last {
					require.NotContains(t, raw, "tool_correctness.score")
					continue
				}
				require.Equal(t, 1.0, raw["tool_correctness.score"], "%v", raw)
				require.Equal(t, true, raw["tool_correctness.complete"], "%v", raw)
				require.Equal(t, "idle", raw["tool_correctness.closed_by"])
				require.Equal(t, []any{"search_orders", "refund_order"}, raw["tool_correctness.called"])
			}
		})
	}
}

// send sends each span of a conversation in a request of its own.
func send(t *testing.T, c *collector, base time.Time, conversation string, spans []chatSpan) {
	t.Helper()
	connection, err := grpc.NewClient(c.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { require.NoError(t, connection.Close()) }()
	for _, s := range spans {
		td := ptrace.NewTraces()
		span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		span.SetTraceID(pcommon.TraceID{s.trace})
		span.SetSpanID(pcommon.SpanID{s.id})
		if s.id != 1 {
			span.SetParentSpanID(pcommon.SpanID{1})
		}
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(base.Add(time.Duration(s.start) * time.Second)))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(base.Add(time.Duration(s.end) * time.Second)))
		require.NoError(t, span.Attributes().FromRaw(s.attributes))
		span.Attributes().PutStr("gen_ai.conversation.id", conversation)
		_, err := ptraceotlp.NewGRPCClient(connection).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(td))
		require.NoError(t, err)
	}
}

package acceptance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A client's span of an agent and that agent's own span in another service, with the words of the conventions for them, are one run.
// The agent's ID is of no use for that: each side may have its own.
func TestRemoteAgentIsOneRun(t *testing.T) {
	var requests []ptrace.Traces
	add := func(service string, id, parent byte, name string, kind ptrace.SpanKind, attributes map[string]any) {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", service)
		rs.Resource().Attributes().PutStr("gen_ai.main_agent.name", service)
		span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		span.SetTraceID(pcommon.TraceID{1})
		span.SetSpanID(pcommon.SpanID{id})
		if parent != 0 {
			span.SetParentSpanID(pcommon.SpanID{parent})
		}
		span.SetName(name)
		span.SetKind(kind)
		span.SetStartTimestamp(pcommon.Timestamp(id) * 1e9)
		span.SetEndTimestamp(pcommon.Timestamp(100-id) * 1e9)
		require.NoError(t, span.Attributes().FromRaw(attributes))
		requests = append(requests, td)
	}
	add("support", 1, 0, "invoke_agent support", ptrace.SpanKindInternal, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"})
	add("support", 2, 1, "invoke_agent refunds", ptrace.SpanKindClient, map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "refunds", "gen_ai.agent.id": "a-1",
		"gen_ai.caller.type": "agent", "gen_ai.caller.name": "support",
	})
	add("refunds", 3, 2, "invoke_agent refunds", ptrace.SpanKindInternal, map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "refunds", "gen_ai.agent.id": "b-1",
	})
	add("refunds", 4, 3, "execute_tool refund", ptrace.SpanKindInternal, map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refund"})
	var got []string
	for _, r := range runsOf(t, requests) {
		names := make([]string, len(r.calls))
		for i, c := range r.calls {
			names[i] = c.name
		}
		got = append(got, r.agent+": "+strings.Join(names, " "))
	}
	require.ElementsMatch(t, []string{"support: ", "refunds: refund"}, got)
}

package main

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// many is more than a table has of one kind: 1,024 MCP spans.
const many = 1_200

// tablePlays fill a table that all senders share, so that the processor forgets what it has of the victim.
func tablePlays() []play {
	searched, failed := search("good"), batchOf("victim")
	protocol(failed.span(traceID{3}, spanID{31}, noParent).from(101*time.Millisecond, 199*time.Millisecond), "search_orders").with("error.type", "tool_error")
	fill := func(name, does string, processes int) play {
		return play{
			name: name, does: does, section: failedIgnored, law: neverSilent, honest: []batch{failed, searched},
			attacked: []batch{failed, searched, crowd(processes, func(s span) { protocol(s, "search_orders") })},
		}
	}
	return []play{
		fill("fill-mcp", "1,200 MCP spans of another process, where the MCP span of the only call says that it failed", 1),
		fill("fill-mcp-processes", "the same, each of a process of its own", many),
	}
}

// protocol makes s the span of an MCP client.
func protocol(s span, tool string) span {
	return s.with("mcp.method.name", "tools/call").with("gen_ai.tool.name", tool)
}

// crowd is a request with many spans of that number of processes, each in a trace of its own.
func crowd(processes int, fill func(span)) batch {
	b := batch{td: ptrace.NewTraces()}
	for i := range many {
		if i < processes {
			rs := b.td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", "third-party "+number(i))
			b.spans = rs.ScopeSpans().AppendEmpty().Spans()
		}
		id := pcommon.SpanID{8, byte(i), byte(i >> 8)}
		fill(b.span(traceID{8, byte(i), byte(i >> 8)}, id, noParent).from(0, second))
	}
	return b
}

// neverSilent is the law of attacks on tables: what came before the attack may be forgotten, so the order may decide. Then the
// verdict is not complete.
func neverSilent(honest seen, attacked []seen) (broken []string) {
	for _, a := range attacked {
		if a.missing || a.judged != honest.judged || a.complete && a.verdict != honest.verdict {
			broken = append(broken, fmt.Sprintf("%s, and honestly %s", a.verdict, honest.verdict))
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

package main

import (
	"fmt"
	"slices"
	"strings"
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
			attacked: []batch{failed, searched, crowd(many, processes, func(s span) { protocol(s, "search_orders") })},
		}
	}
	return append([]play{
		fill("fill-mcp", "1,200 MCP spans of another sender, where the MCP span of the only call says that it failed", 1),
		fill("fill-mcp-processes", "the same, each of a process of its own", many),
	}, callIDPlays()...)
}

// callIDPlays have two instrumentations record one run. Only the second one records the forbidden call, so without the call ID that
// both have, the first one's record of the run passes.
func callIDPlays() []play {
	first, again := recorded(victimTrace, theAgent, "a"), recorded(traceID{2}, spanID{20}, "b")
	again.span(traceID{2}, spanID{22}, spanID{20}).from(300*time.Millisecond, 400*time.Millisecond).tool("shell").
		with("gen_ai.tool.call.id", "call_mnopqrstuvwx")
	requests := func(processes int) batch {
		n := 0
		return crowd(100, processes, func(s span) {
			parts := make([]string, 50)
			for i := range parts {
				n++
				parts[i] = `{"type":"tool_call","name":"x","id":"call_` + number(n) + `_abcdefgh"}`
			}
			s.chat().with("gen_ai.output.messages", `[{"role":"assistant","parts":[`+strings.Join(parts, ",")+`]}]`)
		})
	}
	fill := func(name, does string, processes int) play {
		return play{
			name: name, does: does, section: "limits: {memory_mib: 4}\n" + forbidding, law: neverSilent,
			honest: []batch{first, again}, attacked: []batch{first, again, requests(processes)},
		}
	}
	return []play{
		fill("fill-call-ids", "100 responses of models with 50 requests each, of another sender, and a small table, where two instrumentations record one run", 1),
		fill("fill-call-ids-processes", "the same, each of a process of its own", 100),
	}
}

// recorded is the victim's run with one search, as an instrumentation records it.
func recorded(trace traceID, agent spanID, scope string) batch {
	b := batchOf("victim")
	b.td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName(scope)
	b.span(trace, spanID{agent[0], 1}, agent).from(100*time.Millisecond, 200*time.Millisecond).tool("search_orders").
		with("gen_ai.tool.call.id", "call_abcdefghijkl")
	b.span(trace, agent, noParent).from(0, second).agent("support")
	return b
}

// protocol makes s the span of an MCP client.
func protocol(s span, tool string) span {
	return s.with("mcp.method.name", "tools/call").with("gen_ai.tool.name", tool)
}

// crowd is a request with n spans of that number of processes, 256 in each trace.
func crowd(n, processes int, fill func(span)) batch {
	b := batch{td: ptrace.NewTraces()}
	for i := range n {
		if i < processes {
			rs := b.td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", "third-party "+number(i))
			b.spans = rs.ScopeSpans().AppendEmpty().Spans()
		}
		id := pcommon.SpanID{8, byte(i), byte(i >> 8)}
		fill(b.span(traceID{8, byte(i >> 8)}, id, noParent).from(0, second))
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

package acceptance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

// A trace that several services write is read as one. Who wrote a span decides neither whose call it is nor how many calls
// there are.
func TestDistributed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		config func(*toolcorrectnessprocessor.Config)
		spans  []*randomSpan
		want   []string
		reason string
	}{
		{
			name: "a call that only MCP records",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedMCP("c", "a", "assistant", "search", ptrace.SpanKindClient, `{"q":"x"}`),
				distributedMCP("s", "c", "docs", "search", ptrace.SpanKindServer, `{"q":"x"}`),
			},
			want:   []string{`a planner: search({"q":"x"})`},
			reason: "the server's span is the other end of the client's call",
		},
		{
			name: "a call that the framework and MCP record",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedTool("t", "a", "assistant", "search", `{"q":"x"}`),
				distributedMCP("c", "t", "assistant", "search", ptrace.SpanKindClient, ""),
				distributedMCP("s", "c", "docs", "search", ptrace.SpanKindServer, ""),
			},
			want:   []string{`a planner: search({"q":"x"})`},
			reason: "three spans are one call, and only the framework captures content",
		},
		{
			name: "HTTP between client and server",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedTool("t", "a", "assistant", "read_file", `{"path":"x"}`),
				distributedMCP("c", "t", "assistant", "read_file", ptrace.SpanKindClient, ""),
				distributedHTTP("h", "c", "assistant", ptrace.SpanKindClient),
				distributedHTTP("i", "h", "docs", ptrace.SpanKindServer),
				distributedMCP("s", "i", "docs", "read_file", ptrace.SpanKindServer, `{"path":"x"}`),
			},
			want:   []string{`a planner: read_file({"path":"x"})`},
			reason: "MCP runs over HTTP, and each end of that has a span of its own",
		},
		{
			name: "a prefix of the framework",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedTool("t", "a", "assistant", "mcp__docs__search", `{"q":"x"}`),
				distributedMCP("c", "t", "assistant", "search", ptrace.SpanKindClient, `{"q":"x"}`),
				distributedMCP("s", "c", "docs", "search", ptrace.SpanKindServer, ""),
			},
			want:   []string{`a planner: mcp__docs__search({"q":"x"})`},
			reason: "the model knows the tool by the framework's name; the server is below that call and knows its own",
		},
		{
			name: "a tool in another service",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedHTTP("h", "a", "assistant", ptrace.SpanKindClient),
				distributedHTTP("i", "h", "tools", ptrace.SpanKindServer),
				distributedTool("t", "i", "tools", "search", `{"q":"x"}`),
			},
			want:   []string{`a planner: search({"q":"x"})`},
			reason: "an agent that has its tools executed elsewhere called them nevertheless, and nothing of the run is missing",
		},
		{
			name: "two calls of a service of tools",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedTool("t", "a", "tools", "search", `{"q":"x"}`),
				distributedTool("u", "a", "tools", "search", `{"q":"x"}`),
			},
			want:   []string{`a planner: search({"q":"x"}), search({"q":"x"})`},
			reason: "neither is below the other, so the tool was called twice",
		},
		{
			name: "a sub-agent in another pod",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedTool("t", "a", "assistant", "search", `{"q":"x"}`),
				distributedHTTP("h", "a", "assistant", ptrace.SpanKindClient),
				distributedHTTP("i", "h", "assistant/pod-2", ptrace.SpanKindServer),
				distributedAgent("b", "i", "assistant/pod-2", "researcher"),
				distributedTool("u", "b", "assistant/pod-2", "read_file", `{"path":"y"}`),
			},
			want:   []string{`a planner: search({"q":"x"})`, `b researcher: read_file({"path":"y"})`},
			reason: "each agent has its own calls, and that they share a trace makes neither incomplete",
		},
		{
			name: "a tool that asks an agent in another pod",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedTool("t", "a", "assistant", "ask_researcher", `{"q":"x"}`),
				distributedHTTP("h", "t", "assistant", ptrace.SpanKindClient),
				distributedHTTP("i", "h", "specialists", ptrace.SpanKindServer),
				distributedAgent("b", "i", "specialists", "researcher"),
				distributedTool("u", "b", "specialists", "read_file", `{"path":"y"}`),
			},
			want:   []string{`a planner: ask_researcher({"q":"x"})`, `b researcher: read_file({"path":"y"})`},
			reason: "the tool is a call of the agent that used it, whatever it does",
		},
		{
			name:   "a tool that asks an agent in another pod, nested",
			config: func(cfg *toolcorrectnessprocessor.Config) { cfg.Run.Nested = "include" },
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedTool("t", "a", "assistant", "ask_researcher", `{"q":"x"}`),
				distributedAgent("b", "t", "specialists", "researcher"),
				distributedTool("u", "b", "specialists", "read_file", `{"path":"y"}`),
			},
			want:   []string{`a planner: ask_researcher({"q":"x"}), read_file({"path":"y"})`, `b researcher: read_file({"path":"y"})`},
			reason: "the agent around it is one in another pod as well",
		},
		{
			name: "an agent behind a server of MCP",
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedMCP("c", "a", "assistant", "search", ptrace.SpanKindClient, `{"q":"x"}`),
				distributedMCP("s", "c", "docs", "search", ptrace.SpanKindServer, ""),
				distributedAgent("b", "s", "docs", "researcher"),
				distributedTool("u", "b", "docs", "search", `{"q":"y"}`),
			},
			want:   []string{`a planner: search({"q":"x"})`, `b researcher: search({"q":"y"})`},
			reason: "a tool of a sub-agent may have the name of the tool that asked it",
		},
		{
			name:   "an agent behind a server of MCP, the trace as one run",
			config: func(cfg *toolcorrectnessprocessor.Config) { cfg.Run.Scope = "trace" },
			spans: []*randomSpan{
				distributedAgent("a", "", "assistant", "planner"),
				distributedMCP("c", "a", "assistant", "search", ptrace.SpanKindClient, `{"q":"x"}`),
				distributedMCP("s", "c", "assistant", "search", ptrace.SpanKindServer, ""),
				distributedAgent("b", "s", "assistant", "researcher"),
				distributedTool("u", "b", "assistant", "search", `{"q":"y"}`),
			},
			want:   []string{`a planner: search({"q":"x"}), search({"q":"y"})`},
			reason: "the server records no arguments, and the call of the agent below it is nevertheless another one",
		},
		{
			name: "a service in front of the agent's",
			spans: []*randomSpan{
				distributedHTTP("r", "", "gateway", ptrace.SpanKindServer),
				distributedHTTP("h", "r", "gateway", ptrace.SpanKindClient),
				distributedHTTP("i", "h", "assistant", ptrace.SpanKindServer),
				distributedAgent("a", "i", "assistant", "planner"),
				distributedTool("t", "a", "assistant", "search", `{"q":"x"}`),
			},
			want:   []string{`a planner: search({"q":"x"})`},
			reason: "the agent's span is the run; the root of the trace is a request like any other",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.config == nil {
				tc.config = func(*toolcorrectnessprocessor.Config) {}
			}
			assert.Equal(t, tc.want, distributedRuns(t, distributedRequests(tc.spans), tc.config), tc.reason)
			assert.Equal(t, tc.want, distributedRuns(t, distributedReversed(distributedRequests(tc.spans)), tc.config), "callees first: %s", tc.reason)
			assert.Equal(t, tc.want, distributedRuns(t, distributedTogether(distributedRequests(tc.spans)), tc.config), "in one request: %s", tc.reason)
		})
	}
}

// distributedRuns says what matters of each run: its span, its agent, its calls in their order, and what is wrong with it.
func distributedRuns(t *testing.T, requests []ptrace.Traces, config func(*toolcorrectnessprocessor.Config)) (runs []string) {
	t.Helper()
	for _, report := range randomReports(t, requests, config) {
		line := "no anchor"
		if anchors := report.Run.Anchors; len(anchors) > 0 {
			line = strings.TrimRight(string(anchors[0].ID[:]), "\x00") + " " + anchors[0].Agent
		}
		var calls []string
		for _, c := range report.Run.Calls {
			calls = append(calls, fmt.Sprintf("%s(%s)", c.Name, c.Arguments.AppendJSON(nil)))
		}
		line += ": " + strings.Join(calls, ", ")
		if !report.Run.Doubts.Complete() {
			line += " (not complete)"
		}
		runs = append(runs, line)
	}
	slices.Sort(runs)
	return runs
}

// distributedRequests sends the spans of each process in a request, in the order of their first spans. Spans start in the
// order of the list and end in the reverse order, so parents contain their children.
func distributedRequests(spans []*randomSpan) (requests []ptrace.Traces) {
	trace := &randomTrace{id: pcommon.TraceID{1}}
	sent := map[randomProcess][]randomSent{}
	var processes []randomProcess
	for i, span := range spans {
		span.start, span.end = 1+i, 1000-i
		if sent[span.process] == nil {
			processes = append(processes, span.process)
		}
		sent[span.process] = append(sent[span.process], randomSent{trace, span})
	}
	for _, p := range processes {
		requests = append(requests, randomRequest([][]randomSent{sent[p]}))
	}
	return requests
}

// distributedReversed has the requests in the reverse order: those who are called send first.
func distributedReversed(requests []ptrace.Traces) []ptrace.Traces {
	slices.Reverse(requests)
	return requests
}

// distributedTogether has the same in one request.
func distributedTogether(requests []ptrace.Traces) []ptrace.Traces {
	all := ptrace.NewTraces()
	for _, td := range requests {
		td.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	return []ptrace.Traces{all}
}

func distributedID(name string) (id pcommon.SpanID) {
	copy(id[:], name)
	return id
}

// distributedSpan is a span of a service, or of a pod of it: "assistant/pod-2".
func distributedSpan(id, parent, service, name, scope string, kind ptrace.SpanKind, attributes map[string]string) *randomSpan {
	service, pod, _ := strings.Cut(service, "/")
	return &randomSpan{
		id: distributedID(id), parent: distributedID(parent), name: name, process: randomProcess{service, pod},
		scope: scope, kind: kind, attributes: attributes,
	}
}

func distributedAgent(id, parent, service, agent string) *randomSpan {
	return distributedSpan(id, parent, service, "invoke_agent "+agent, randomFramework, ptrace.SpanKindInternal,
		map[string]string{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent})
}

func distributedTool(id, parent, service, tool, arguments string) *randomSpan {
	return distributedSpan(id, parent, service, "execute_tool "+tool, randomFramework, ptrace.SpanKindInternal,
		map[string]string{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.arguments": arguments})
}

// distributedMCP is a span of MCP. Without arguments its content is not captured.
func distributedMCP(id, parent, service, tool string, kind ptrace.SpanKind, arguments string) *randomSpan {
	span := distributedSpan(id, parent, service, "tools/call "+tool, randomMCP, kind,
		map[string]string{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool})
	if arguments != "" {
		span.attributes["gen_ai.tool.call.arguments"] = arguments
	}
	return span
}

func distributedHTTP(id, parent, service string, kind ptrace.SpanKind) *randomSpan {
	return distributedSpan(id, parent, service, "POST", randomHTTP, kind, nil)
}

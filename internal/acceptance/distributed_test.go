package acceptance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

// A distributedRow is a span of testdata/distributed.yaml.
type distributedRow struct {
	Agent, Tool, Client, Server, HTTP string // one of them
	ID, Of, In, Arguments, Kind       string
	Tenant                            string
	More                              map[string]string
}

// A trace that several services write is read as one. Who wrote a span decides neither whose call it is nor how many calls
// there are.
func TestDistributed(t *testing.T) {
	for _, tc := range fromTestdata[[]struct {
		Name, Reason string
		Config       map[string]any
		Spans        []distributedRow
		Want         []string
	}]("distributed") {
		t.Run(tc.Name, func(t *testing.T) {
			config := configured(t, tc.Config)
			assert.Equal(t, tc.Want, distributedRuns(t, distributedRequests(tc.Spans), config), tc.Reason)
			reversed := distributedRequests(tc.Spans)
			slices.Reverse(reversed)
			assert.Equal(t, tc.Want, distributedRuns(t, reversed, config), "callees first: %s", tc.Reason)
			assert.Equal(t, tc.Want, distributedRuns(t, distributedTogether(distributedRequests(tc.Spans)), config), "in one request: %s", tc.Reason)
		})
	}
}

// distributedRuns says what matters of each run: its span, its agent, its calls in their order, and what is wrong with it.
func distributedRuns(t *testing.T, requests []ptrace.Traces, config func(*toolcorrectnessprocessor.Config)) (runs []string) {
	t.Helper()
	for _, report := range reportsPaced(t, requests, randomPause, config) {
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
func distributedRequests(rows []distributedRow) (requests []ptrace.Traces) {
	trace := &randomTrace{id: pcommon.TraceID{1}}
	type sender struct {
		randomProcess
		tenant string
	}
	sent := map[sender][]randomSent{}
	var senders []sender
	for i := range rows {
		span := rows[i].span()
		span.start, span.end = 1+i, 1000-i
		from := sender{span.process, rows[i].Tenant}
		if sent[from] == nil {
			senders = append(senders, from)
		}
		sent[from] = append(sent[from], randomSent{trace, span})
	}
	for _, from := range senders {
		td := randomRequest([][]randomSent{sent[from]})
		if from.tenant != "" {
			td.ResourceSpans().At(0).Resource().Attributes().PutStr("tenant.id", from.tenant)
		}
		requests = append(requests, td)
	}
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

func (r *distributedRow) span() *randomSpan {
	service, pod, _ := strings.Cut(r.In, "/")
	span := &randomSpan{process: randomProcess{service, pod}, scope: randomFramework, kind: ptrace.SpanKindInternal}
	copy(span.id[:], r.ID)
	copy(span.parent[:], r.Of)
	switch mcp := cmp.Or(r.Client, r.Server); {
	case r.Agent != "":
		span.name, span.attributes = "invoke_agent "+r.Agent, map[string]string{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": r.Agent}
	case r.Tool != "":
		span.name, span.attributes = "execute_tool "+r.Tool, map[string]string{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": r.Tool}
	case mcp != "":
		span.name, span.scope = "tools/call "+mcp, randomMCP
		span.attributes = map[string]string{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": mcp}
	default:
		span.name, span.scope = "POST", randomHTTP
	}
	switch {
	case r.Client != "", r.HTTP == "client", r.Kind == "client":
		span.kind = ptrace.SpanKindClient
	case r.Server != "", r.HTTP == "server":
		span.kind = ptrace.SpanKindServer
	}
	if r.Arguments != "" {
		span.attributes["gen_ai.tool.call.arguments"] = r.Arguments
	}
	maps.Copy(span.attributes, r.More)
	return span
}

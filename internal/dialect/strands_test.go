package dialect

import (
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const strandsScope = "strands-agents"

func TestStrandsCalls(t *testing.T) {
	tool := map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAICallID: "call_1", strandsStatus: "success"}
	failed := map[string]any{genAIOperation: executeTool, genAIToolName: "search", strandsStatus: "error"}
	asked := happened{genAITool, map[string]any{"role": "tool", "content": `{"q":"a"}`, "id": "call_1"}}
	answered := func(message string) happened {
		return happened{genAIChoice, map[string]any{"message": message, "id": "call_1"}}
	}
	refused := func(output string) Reading {
		return call("search").with(func(r *Reading) {
			r.Call.Output, r.Call.Status, r.Traits = scoring.JSON(output), scoring.StatusFailed, UnknownTool
		})
	}
	read := call("search").with(func(r *Reading) {
		r.CallID = "call_1"
		r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON(`{"n":1}`)
	})
	checkRows(t, []row{
		{
			name: "under a scope of the application's", scope: "my-service", attributes: tool,
			events: []happened{asked, answered(`[{"json":{"n":1}}]`)},
			want:   read,
			reason: "the tracer is named after the service where that is set; gen_ai.tool.status is Strands' alone",
		},
		{
			name: "content as messages", scope: "strands.telemetry.tracer", attributes: tool,
			events: []happened{
				{genAIDetails, map[string]any{genAIInput: `[{"role":"tool","parts":[{"type":"tool_call","name":"search","id":"call_1","arguments":{"q":"a"}}]}]`}},
				{genAIDetails, map[string]any{genAIOutput: `[{"role":"tool","parts":[{"type":"tool_call_response","id":"call_1","response":[{"json":{"n":1}}]}]}]`}},
			},
			want:   read,
			reason: "gen_ai_latest_experimental: both are in events of one name",
		},
		{
			name: "content as attributes", scope: strandsScope,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search", genAICallID: "call_1", strandsStatus: "success",
				genAIArguments: `{"q":"a"}`, genAIResult: `[{"json":{"n":1}}]`,
			},
			want:   read,
			reason: "TypeScript sets them too with gen_ai_latest_experimental",
		},
		{
			name: "without events", scope: strandsScope, attributes: tool,
			want:   call("search").with(func(r *Reading) { r.CallID = "call_1" }),
			reason: "a collector may drop events; nothing is made up for them",
		},
		{
			name: "a tool that reported an error", scope: strandsScope, attributes: failed,
			events: []happened{answered(`[{"text":"no such order"}]`)},
			status: ptrace.StatusCodeOk,
			want: call("search").with(func(r *Reading) {
				r.Call.Output, r.Call.Status = scoring.JSON("no such order"), scoring.StatusFailed
			}),
			reason: "the span's status is OK if nothing was thrown",
		},
		{
			name: "a tool that there is not, in TypeScript", scope: strandsScope, attributes: failed,
			events: []happened{answered(`[{"text":"Tool 'search' not found in registry"}]`)},
			status: ptrace.StatusCodeOk,
			want:   refused("Tool 'search' not found in registry"),
			reason: "a tool could answer so as well, so the agent's list of tools decides",
		},
		{
			name: "a tool that there is not, in Python", scope: "strands.telemetry.tracer", attributes: failed,
			events: []happened{answered(`[{"text":"Unknown tool: search"}]`)},
			status: ptrace.StatusCodeError,
			want:   refused("Unknown tool: search"),
			reason: "the same in the other language's words",
		},
		{
			name: "a tool that answers as if there were none", scope: "strands.telemetry.tracer",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search", strandsStatus: strandsFailed, "gen_ai.tool.description": "Searches.",
			},
			events: []happened{answered(`[{"text":"Unknown tool: search"}]`)},
			want:   refused("Unknown tool: search").with(func(r *Reading) { r.Traits = 0 }),
			reason: "only a tool that there is has a description",
		},
		{
			name: "an unknown tool, in an attribute", scope: strandsScope,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search", strandsStatus: strandsFailed,
				genAIResult: `[{"text":"Unknown tool: search"}]`,
			},
			want:   refused("Unknown tool: search"),
			reason: "whoever reads no outputs is to doubt it as well",
		},
		{
			name: "a tool that says so of another", scope: strandsScope, attributes: failed,
			events: []happened{answered(`[{"text":"Unknown tool: hammer"}]`)},
			want: call("search").with(func(r *Reading) {
				r.Call.Output, r.Call.Status = scoring.JSON("Unknown tool: hammer"), scoring.StatusFailed
			}),
			reason: "this one was executed, or it could not have answered",
		},
		{
			name: "wrong types", scope: strandsScope,
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search", strandsStatus: 1},
			events:     []happened{{genAITool, map[string]any{"content": ""}}, {genAIChoice, nil}},
			want:       call("search"),
			reason:     "what is no content is as good as absent",
		},
	})
}

func TestStrandsRuns(t *testing.T) {
	checkRows(t, []row{
		{
			name: "a swarm", scope: "strands.telemetry.tracer", span: "invoke_swarm",
			attributes: map[string]any{genAIOperation: "invoke_swarm", genAIAgentName: "swarm"},
			want:       Reading{Role: Workflow, Agent: "swarm"},
			reason:     "its agents have spans of their own",
		},
		{
			name: "in OpenInference's words", scope: "strands.telemetry.tracer", span: "execute_tool search",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "search"},
			want:       call("search"),
			reason:     "its processor for Strands replaces the attributes, and keeps the scope",
		},
		{
			name: "in the words of both", scope: "strands.telemetry.tracer", span: "Tool: search",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search", genAICallID: "c1", "tool.status": strandsFailed,
				openInferenceKind: "TOOL", openInferenceInput: `{"q":"x"}`, openInferenceOutput: "gone", openInferenceOutputType: "text/plain",
			},
			want: call("search").with(func(r *Reading) {
				r.CallID, r.Call.Arguments, r.Call.Output, r.Call.Status = "c1", scoring.JSON(`{"q":"x"}`), scoring.Text("gone"), scoring.StatusFailed
			}),
			reason: "the processor takes the events with the content away",
		},
	})
}

func TestToolsOfAnAgent(t *testing.T) {
	for _, tc := range []struct {
		name   string
		value  any
		want   []string
		reason string
	}{
		{"a list", `["search", "refund"]`, []string{"search", "refund"}, "as Strands writes it"},
		{"an empty list", `[]`, nil, "an agent without tools lists none"},
		{"no list", `{"search": 1}`, nil, "a shape that is not known is not guessed at"},
		{"cut off", `["search", "ref`, nil, "half a list excludes nothing"},
		{"a list without end", "[" + strings.Repeat(`"search",`, maxTools/9) + `"refund"]`, nil, "no agent has so many"},
		{"a list that is no text", []any{"search"}, []string{"search"}, "others write it so"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Tools(newSpan("", map[string]any{strandsTools: tc.value}))
			if !slices.Equal(got, tc.want) {
				t.Errorf("Tools = %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}

func TestToolsByTheConventions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		value  any
		want   []string
		reason string
	}{
		{"definitions", `[{"type":"function","name":"search"},{"type":"function","function":{"name":"refund"}}]`, []string{"search", "refund"}, "in both forms"},
		{"a tool without a name", `[{"type":"web_search"},{"name":"search"}]`, nil, "the list may miss the name of a tool"},
		{"no list", `{"name":"search"}`, nil, "a shape that is not known is not guessed at"},
		{"cut off", `[{"name":"search"},{"na`, nil, "half a list excludes nothing"},
		{"wrong types", 7, nil, "it is no text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Tools(newSpan("", map[string]any{genAIDefinitions: tc.value})); !slices.Equal(got, tc.want) {
				t.Errorf("Tools = %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}

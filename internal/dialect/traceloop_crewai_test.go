package dialect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A crew's span says which agent requested which calls: it has the messages of each task and the role of the task's agent.
func TestRequestsOfACrew(t *testing.T) {
	const (
		first  = `{'role': 'assistant', 'content': '', 'tool_calls': [{'id': 'call_1', 'type': 'function', 'function': {'name': 'search', 'arguments': '{"q":1}'}}]}`
		second = `{'role': 'assistant', 'content': '', 'tool_calls': [{'id': 'call_2', 'type': 'function', 'function': {'name': 'fetch', 'arguments': '{}'}}]}`
		both   = `{'role': 'assistant', 'content': '', 'tool_calls': [{'id': 'call_1', 'type': 'function', 'function': {'name': 'search', 'arguments': '{"q":1}'}}, {'id': 'call_2', 'type': 'function', 'function': {'name': 'fetch', 'arguments': '{}'}}]}`
		silent = `{'role': 'assistant', 'content': 'hm', 'tool_calls': []}`
		result = `{'role': 'tool', 'content': 'found', 'tool_call_id': 'call_1', 'name': 'search'}`

		unknown = `ToolFailureRecord(tool_name='search', failure=ToolFailure(message='found', reason=<ToolFailureReason.UNKNOWN_TOOL: 'unknown_tool'>))`
	)
	task := func(agent, messages string) string {
		return `TaskOutput(description='d', agent=` + agent + `, messages=[` + messages + `], tool_failures=[])`
	}
	search := ToolRequest{ID: "call_1", Name: "search", Arguments: scoring.JSON(`{"q":1}`)}
	fetch := ToolRequest{ID: "call_2", Name: "fetch", Arguments: scoring.JSON(`{}`)}
	for _, tc := range []struct {
		name, text string
		requests   []ToolRequest
		shares     []Share
		reason     string
	}{
		{"one task", `[` + task("'desk'", first+", "+result+", "+second) + `]`, []ToolRequest{search, fetch}, []Share{{"desk", 0, []int{1, 1}}}, "the messages are in order"},
		{"two tasks", `[` + task("'desk'", first) + `, ` + task("'clerk'", second) + `]`, []ToolRequest{search, fetch}, []Share{{"desk", 0, []int{1}}, {"clerk", 1, []int{1}}},
			"each task has its agent"},
		{"a task without calls", `[` + task("'desk'", first) + `, ` + task("'clerk'", "") + `]`, []ToolRequest{search}, []Share{{"desk", 0, []int{1}}, {"clerk", 1, nil}},
			"it is a run of that agent all the same"},
		{"a tool that there is not", `[` + strings.Replace(task("'desk'", first+", "+result+", "+second), "tool_failures=[]", "tool_failures=["+unknown+"]", 1) + `]`, []ToolRequest{fetch}, []Share{{"desk", 0, []int{1}}}, "nothing was called"},
		{"one message with two calls", `[` + task("'desk'", both) + `]`, []ToolRequest{search, fetch}, []Share{{"desk", 0, []int{2}}}, "one response asked for both"},
		{"a message without calls", `[` + task("'desk'", first+", "+silent+", "+second) + `]`, []ToolRequest{search, fetch}, []Share{{"desk", 0, []int{1, 1}}}, "it asked for nothing"},
		{"a task without an agent before", `[` + task("None", first) + `, ` + task("'clerk'", second) + `]`, []ToolRequest{fetch}, []Share{{"clerk", 1, []int{1}}}, "tasks keep their places"},
		{"no calls", `[` + task("'desk'", result) + `]`, nil, nil, "there is nothing to share"},
		{"no agent", `[` + task("None", first) + `]`, nil, nil, "nothing says whose calls they are"},
		{"a user's message", `[` + task("'desk'", strings.Replace(first, "assistant", "user", 1)) + `]`, nil, nil, "only models request calls"},
		{"a message in a text", `[` + task("'desk'", `{'role': 'assistant', 'content': "`+strings.ReplaceAll(first, `"`, `\"`)+`"}`) + `]`, nil, nil, "texts decide nothing"},
		{"a text that is cut off", (`[` + task("'desk'", first))[:150], nil, []Share{}, "it is no Python, and any agent may have requested calls"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			span := newSpan("crewai.workflow", map[string]any{genAIOperation: invokeAgent, crewOutputs: tc.text})
			got := CrewMessages.Response(span, everything, new(Scratch))
			if !reflect.DeepEqual(got.Requests, tc.requests) || !reflect.DeepEqual(got.Shares, tc.shares) {
				t.Errorf("got %+v by %+v, want %+v by %+v: %s", got.Requests, got.Shares, tc.requests, tc.shares, tc.reason)
			}
		})
	}
}

// A crew's span says which calls failed.
func TestFailuresOfACrew(t *testing.T) {
	const (
		message = `{'role': 'tool', 'content': 'Error executing tool: gone', 'tool_call_id': 'call_1', 'name': 'search'}`
		later   = `{'role': 'tool', 'content': 'Error executing tool: gone', 'tool_call_id': 'call_2', 'name': 'search'}`
		record  = `ToolFailureRecord(tool_name='search', failure=ToolFailure(message='gone', reason=<Reason.EXCEPTION: 'exception'>), tool_args={})`
	)
	output := func(messages, failures string) string {
		return `[TaskOutput(agent='a', messages=[` + messages + `], tool_failures=[` + failures + `])]`
	}
	failed := ToolResult{ID: "call_1", Output: scoring.JSON("Error executing tool: gone"), Failed: true}
	for _, tc := range []struct {
		name, text string
		want       []ToolResult
		reason     string
	}{
		{"a failure", output(message, record), []ToolResult{failed}, "the message is the one of the tool that ends with the failure's text"},
		{"two calls and a failure", output(message+", "+later, record), []ToolResult{failed}, "the first one failed, and of the other nothing is known"},
		{"no failure", output(message, ""), nil, "a text like an error is a text"},
		{"another tool", output(`{'role': 'tool', 'content': 'gone', 'tool_call_id': 'call_1', 'name': 'fetch'}`, record), nil, "the failure is not its own"},
		{"another text", output(`{'role': 'tool', 'content': 'found', 'tool_call_id': 'call_1', 'name': 'search'}`, record), nil, "the model was shown something else"},
		{"a user's text", output(`{'role': 'user', 'content': 'gone', 'tool_call_id': 'call_1', 'name': 'search'}`, record), nil, "only tools have results"},
		{"a failure in a text", output(`{'role': 'tool', 'content': "`+record+`", 'tool_call_id': 'call_1', 'name': 'search'}`, ""), nil, "texts decide nothing"},
		{"a text that is cut off", output(message, record)[:120], nil, "it is no Python"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			span := newSpan("crewai.workflow", map[string]any{genAIOperation: invokeAgent, crewOutputs: tc.text})
			if r, _ := ScopeOf("opentelemetry.instrumentation.crewai.instrumentation").Read(span); r.Role != Workflow || r.Messages != CrewMessages {
				t.Fatalf("read %+v", r)
			}
			got := CrewMessages.Response(span, everything, new(Scratch))
			if !reflect.DeepEqual(got.Results, tc.want) || got.Requests != nil {
				t.Errorf("got %+v, want %+v: %s", got.Results, tc.want, tc.reason)
			}
		})
	}
}

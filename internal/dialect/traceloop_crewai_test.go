package dialect

import (
	"reflect"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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
		{"another text", output(`{'role': 'tool', 'content': 'found', 'tool_call_id': 'call_1', 'name': 'search'}`, record), nil, "the model was told something else"},
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

package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestToolMessages(t *testing.T) {
	const path = `"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"]`
	for _, tc := range []struct {
		name   string
		output scoring.Payload
		want   toolMessage // the zero value: none
		reason string      // why this is right, for the next reader: required
	}{
		{
			name:   "under output",
			output: scoring.JSON(`{"output":{` + path + `,"kwargs":{"content":"Order A-100: shipped","tool_call_id":"call_1"}}}`),
			want:   toolMessage{output: scoring.JSON("Order A-100: shipped"), callID: "call_1"},
			reason: "LangChain's tracers put a run's result there; the content is no JSON and counts as text",
		},
		{
			name:   "beside kwargs",
			output: scoring.JSON(` {"output":{` + path + `,"kwargs":{"content":"7","tool_call_id":"c"}},"kwargs":{"color":"red"}}`),
			want:   toolMessage{output: scoring.JSON("7"), callID: "c"},
			reason: "OpenLLMetry's form; the outer kwargs are the callback's",
		},
		{
			name:   "as a message of a chat",
			output: scoring.JSON(`{"role":"tool","content":"ok","tool_call_id":"call_1"}`),
			want:   toolMessage{output: scoring.JSON("ok"), callID: "call_1"},
			reason: "the form that models are given",
		},
		{
			name:   "type and data",
			output: scoring.JSON(`{"type":"tool","data":{"content":"ok","tool_call_id":"call_1"}}`),
			want:   toolMessage{output: scoring.JSON("ok"), callID: "call_1"},
			reason: "what message_to_dict makes of it",
		},
		{
			name:   "blocks",
			output: scoring.JSON(`{"type":"tool","content":[{"type":"text","text":"[1]"}],"tool_call_id":"call_1"}`),
			want:   toolMessage{output: scoring.JSON("[1]"), callID: "call_1"},
			reason: "the adapters of MCP put blocks into the message",
		},
		{
			name:   "a number",
			output: scoring.JSON(`{"type":"tool","content":1.0,"tool_call_id":"call_1"}`),
			want:   toolMessage{output: scoring.JSON("1.0"), callID: "call_1"},
			reason: "not LangChain's, but what it is is plain; numbers stay as they were written",
		},
		{
			name:   "without content",
			output: scoring.JSON(`{"lc":1,"id":["ToolMessage"],"kwargs":{"tool_call_id":"call_1","status":"error"}}`),
			want:   toolMessage{callID: "call_1", failed: true},
			reason: "what is not there is not captured",
		},
		{
			name:   "a message of another class",
			output: scoring.JSON(`{"lc":1,"id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"","tool_call_id":"c"}}`),
			reason: "a model's message is not a tool's result",
		},
		{
			name:   "wrong types",
			output: scoring.JSON(`{"lc":1,"id":"ToolMessage","kwargs":["tool_call_id"],"x":{"tool_call_id":1}}`),
			reason: "a path that is no list names no class",
		},
		{
			name:   "a tool's own result",
			output: scoring.JSON(`{"tool_call_id":"call_1","result":7}`),
			reason: "without content and type it is no message",
		},
		{name: "a text", output: scoring.Text(`{"type":"tool","content":"ok","tool_call_id":"c"}`), reason: "a text is not to be read as JSON"},
		{name: "cut off", output: scoring.JSON(`{"type":"tool","tool_call_id":"c","content":"`), reason: "no JSON, so nothing in it is sure"},
		{name: "redacted", output: scoring.JSON("__REDACTED__"), reason: "nothing is there to be read"},
		{name: "not captured", reason: "nor here"},
		{name: "too large", output: scoring.TooLarge(), reason: "nor here"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := readToolMessage(tc.output)
			if got != tc.want || ok != (tc.want != toolMessage{}) {
				t.Errorf("got %+v, %v, want %+v: %s", got, ok, tc.want, tc.reason)
			}
		})
	}
}

func TestContentLists(t *testing.T) {
	for _, tc := range []struct {
		name   string
		output string
		want   scoring.Payload // the zero value: as it is
		reason string          // why this is right, for the next reader: required
	}{
		{"a text", `[{"type":"text","text":"sunny"}]`, scoring.JSON("sunny"), "what is no JSON counts as text"},
		{"JSON in a text", `[{"type":"text","text":"{\"a\": 1}"}]`, scoring.JSON(`{"a": 1}`), "MCP has no other way to return an object"},
		{"a text with notes", `[{"type":"text","text":"a","annotations":null,"_meta":{}}]`, scoring.JSON("a"), "what else a block says is not the result"},
		{"several texts", ` [{"type":"text","text":"1"},{"type":"text","text":"2"}]`, scoring.Text("1\n2"), "together they are no JSON"},
		{
			"MCP's result, twice", `{"_meta":null,"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1},"isError":false}`,
			scoring.JSON(`{"a":1}`), "the text repeats the structure",
		},
		{"Strands' JSON", `[{"json":{"a":1.0}}]`, scoring.JSON(`{"a":1.0}`), "numbers stay as they were written"},
		{"JSON beside a text", `[{"json":1},{"text":"a"}]`, scoring.Payload{}, "two results are not one"},
		{"a lone block", `{"type":"text","text":"4","annotations":null,"meta":null}`, scoring.JSON("4"), "how the OpenAI Agents SDK writes one block"},
		{"a record with a text", `{"text":"4"}`, scoring.Payload{}, "a tool may well return that"},
		{"an image", `[{"type":"text","text":"a"},{"type":"image","data":""}]`, scoring.Payload{}, "the image would be lost"},
		{"an empty list", `{"content":[],"note":"text"}`, scoring.Payload{}, "an object of the tool's own"},
		{"no blocks", `{"content":[],"_meta":{"text":1}}`, scoring.Payload{}, "nothing can be taken out of nothing"},
		{"wrong types", `[{"type":"text","text":1}]`, scoring.Payload{}, "a text block has a text"},
		{"a list of records", `[{"text":"a","score":1}]`, scoring.Payload{}, "a tool may well return texts with more beside them"},
		{"a string", `"text"`, scoring.Payload{}, "no list"},
		{"no JSON", `[{"type":"text"`, scoring.Payload{}, "cut off"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := scoring.JSON(tc.output)
			if tc.want == (scoring.Payload{}) {
				tc.want = in
			}
			if got := contentList(in); got != tc.want {
				t.Errorf("got %s, want %s: %s", got.AppendJSON(nil), tc.want.AppendJSON(nil), tc.reason)
			}
		})
	}
}

// Nearly every output has no wrapper.
func TestOutputsWithoutWrappersCostNoAllocation(t *testing.T) {
	p := scoring.JSON(`[{"id":"A-100","status":"shipped","lines":[{"sku":"B-1","count":2},{"sku":"B-2","count":1}]}]`)
	if n := testing.AllocsPerRun(100, func() {
		contentList(p)
		readToolMessage(p)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

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
			"under output", scoring.JSON(`{"output":{` + path + `,"kwargs":{"content":"Order A-100: shipped","tool_call_id":"call_1"}}}`),
			toolMessage{output: scoring.JSON("Order A-100: shipped"), callID: "call_1"}, "LangChain's tracers put a run's result there; the content counts as text",
		},
		{
			"beside kwargs", scoring.JSON(` {"output":{` + path + `,"kwargs":{"content":"7","tool_call_id":"c"}},"kwargs":{"color":"red"}}`),
			toolMessage{output: scoring.JSON("7"), callID: "c"}, "OpenLLMetry's form; the outer kwargs are the callback's",
		},
		{
			"as a message of a chat", scoring.JSON(`{"role":"tool","content":"ok","tool_call_id":"call_1"}`),
			toolMessage{output: scoring.JSON("ok"), callID: "call_1"}, "the form that models are given",
		},
		{
			"type and data", scoring.JSON(`{"type":"tool","data":{"content":"ok","tool_call_id":"call_1"}}`),
			toolMessage{output: scoring.JSON("ok"), callID: "call_1"}, "what message_to_dict makes of it",
		},
		{
			"blocks", scoring.JSON(`{"type":"tool","content":[{"type":"text","text":"[1]"}],"tool_call_id":"call_1"}`),
			toolMessage{output: scoring.JSON("[1]"), callID: "call_1"}, "the adapters of MCP put blocks into the message",
		},
		{
			"a number", scoring.JSON(`{"type":"tool","content":1.0,"tool_call_id":"call_1"}`),
			toolMessage{output: scoring.JSON("1.0"), callID: "call_1"}, "not LangChain's, but plain; numbers stay as they were written",
		},
		{
			"without content", scoring.JSON(`{"lc":1,"id":["ToolMessage"],"kwargs":{"tool_call_id":"call_1","status":"error"}}`),
			toolMessage{callID: "call_1", failed: true}, "what is not there is not captured",
		},
		{"wrong types", scoring.JSON(`{"lc":1,"kwargs":["tool_call_id"],"x":{"tool_call_id":1}}`), toolMessage{}, "a list has no call's id"},
		{"a tool's own result", scoring.JSON(`{"tool_call_id":"call_1","result":7}`), toolMessage{}, "without content and type it is no message"},
		{"a text", scoring.Text(`{"type":"tool","content":"ok","tool_call_id":"c"}`), toolMessage{}, "a text is not to be read as JSON"},
		{"cut off", scoring.JSON(`{"type":"tool","tool_call_id":"c","content":"`), toolMessage{}, "no JSON, so nothing in it is sure"},
		{"redacted", scoring.JSON("__REDACTED__"), toolMessage{}, "nothing is there to be read"},
		{"not captured", scoring.Payload{}, toolMessage{}, "nor here"},
		{"too large", scoring.TooLarge(), toolMessage{}, "nor here"},
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

// A caller that reads no outputs does not pay for unwrapping them.
func TestOutputsMayStayWrapped(t *testing.T) {
	const wrapped = `[{"type":"text","text":"18 degrees"}]`
	span := newSpan("", map[string]any{genAIOperation: executeTool, genAIResult: wrapped})
	got, _ := ScopeOf("").Read(span)
	if want := scoring.JSON("18 degrees"); got.Call.Output != want {
		t.Errorf("the output is %v, want %v", got.Call.Output, want)
	}
	got, _ = Scope{NoOutputs: true}.Read(span)
	if want := scoring.JSON(wrapped); got.Call.Output != want {
		t.Errorf("the output is %v, want %v: as it was written", got.Call.Output, want)
	}
}

// A caller that reads neither does not pay for decoding arguments that are encoded twice.
func TestArgumentsMayStayEncoded(t *testing.T) {
	const twice = `"{\"q\":1}"`
	for _, tc := range []struct {
		scope  Scope
		want   string
		reason string
	}{
		{Scope{}, `{"q":1}`, "they are compared"},
		{Scope{NoOutputs: true}, `{"q":1}`, "likewise"},
		{Scope{NoOutputs: true, NoArguments: true}, twice, "nobody reads them"},
	} {
		got, _ := tc.scope.Read(newSpan("", map[string]any{genAIOperation: executeTool, genAIArguments: twice}))
		if got.Call.Arguments != scoring.JSON(tc.want) {
			t.Errorf("the arguments are %v, want %s: %s", got.Call.Arguments, tc.want, tc.reason)
		}
	}
}

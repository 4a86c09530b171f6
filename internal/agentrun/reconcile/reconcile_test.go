package reconcile

import (
	"testing"
	"unique"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// tool is a call of a process, whose span and parent are letters. It takes a second.
func tool(by agentrun.Process, id, parent byte, start pcommon.Timestamp, name, callID, arguments string) agentrun.PendingCall {
	c := agentrun.PendingCall{ID: pcommon.SpanID{id}, Parent: pcommon.SpanID{parent}, Start: start, End: start + 1, Process: by, Name: unique.Make(name), CallID: callID}
	if arguments != "" {
		c.Payloads = &agentrun.CallPayloads{Arguments: scoring.JSON(arguments)}
	}
	return c
}

// failing is a call that failed.
func failing(c agentrun.PendingCall) agentrun.PendingCall {
	c.Status = scoring.StatusFailed
	return c
}

// resultOnly is a span that has only the end of a call.
func resultOnly(c agentrun.PendingCall) agentrun.PendingCall {
	c.Traits.ResultOnly = true
	return c
}

// foldedBelowFirst folds calls. Those whose parent is the first one are below it.
func foldedBelowFirst(calls []agentrun.PendingCall) (into []int) {
	r := New(&agentrun.Settings{}, new(compare.Work))
	return r.FoldSpans(calls, func(c *agentrun.PendingCall) (nearest, own int) {
		if c.Parent == calls[0].ID {
			return 0, 0
		}
		return -1, -1
	})
}

func TestSpansBelowSpans(t *testing.T) {
	for _, tc := range []struct {
		name         string
		outer, inner agentrun.PendingCall
		folds        bool
		reason       string
	}{
		{"the same name", tool(1, 'a', 'r', 1, "search", "", ""), tool(1, 'b', 'a', 2, "search", "", `{"q":1}`), true, "the framework's span and the client's are one call"},
		{"another name", tool(1, 'a', 'r', 1, "search", "", ""), tool(1, 'b', 'a', 2, "fetch", "", ""), false, "a tool called another"},
		{"another call ID", tool(1, 'a', 'r', 1, "search", "call_1", ""), tool(1, 'b', 'a', 2, "search", "call_2", ""), false, "a tool called itself"},
		{"other arguments", tool(1, 'a', 'r', 1, "search", "", `{"q":1}`), tool(1, 'b', 'a', 2, "search", "", `{"q":2}`), false, "a tool called itself"},
		{"without a name", tool(1, 'a', 'r', 1, "", "", ""), tool(1, 'b', 'a', 2, "", "", ""), false, "two calls without a name need not be of one tool"},
		{"a result", tool(1, 'a', 'r', 1, "search", "", ""), resultOnly(tool(1, 'b', 'a', 2, "search", "", "")), true, "it has the status of the call"},
		{"a result of another tool", tool(1, 'a', 'r', 1, "search", "", ""), resultOnly(tool(1, 'b', 'a', 2, "fetch", "", "")), false, "something ended, so it is a call"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := []agentrun.PendingCall{tc.outer, failing(tc.inner)}
			into := foldedBelowFirst(calls)
			require.Equal(t, NotFolded, into[0])
			require.Equal(t, tc.folds, into[1] == 0, tc.reason)
			if tc.folds {
				require.Equal(t, scoring.StatusFailed, calls[0].Status, "what the outer span lacks comes from the inner one")
			}
		})
	}
}

// A protocol's span below a tool's span is the same call, unless an argument has another value.
func TestProtocolSpansWithOtherArgumentsAreCalls(t *testing.T) {
	below := func(id byte, arguments string) agentrun.PendingCall {
		c := tool(1, id, 'a', 2, "shell", "", arguments)
		c.Traits.MCP = true
		return c
	}
	for _, tc := range []struct {
		outer  string
		inner  []string
		folds  []bool
		reason string
	}{
		{`{"cmd":"ls"}`, []string{`{"cmd":"rm"}`}, []bool{false}, "the tool called another one of that name"},
		{`{"cmd":"ls"}`, []string{`{"cmd":"ls","timeout":5}`}, []bool{true}, "a framework adds defaults"},
		{`{"n":"5","on":"true"}`, []string{`{"n":5,"on":true}`}, []bool{true}, "a framework reads what a model wrote as a text"},
		{`{"cmd":"ls"}`, []string{`{"request":{"cmd":"ls"}}`}, []bool{true}, "a protocol has a form of its own"},
		{`{"cmd":"ls"}`, []string{""}, []bool{true}, "no arguments were captured"},
		{"", []string{`{"cmd":"ls"}`}, []bool{true}, "the protocol alone has arguments"},
		{"", []string{`{"cmd":"ls"}`, `{"cmd":"ls"}`}, []bool{true, true}, "it was tried again"},
		{"", []string{`{"cmd":"ls"}`, `{"cmd":"rm"}`}, []bool{true, false}, "one call has one command"},
		{"", []string{`{"cmd":"ls"}`, `{"cmd":"ls","timeout":5}`}, []bool{true, true}, "a second try may add defaults"},
		{`{"cmd":["ls"]}`, []string{`{"cmd":["rm"]}`}, []bool{false}, "lists have no spelling"},
	} {
		calls := []agentrun.PendingCall{tool(1, 'a', 'r', 1, "shell", "", tc.outer)}
		for i, arguments := range tc.inner {
			calls = append(calls, below('b'+byte(i), arguments))
		}
		into := foldedBelowFirst(calls)
		for i := range tc.inner {
			require.Equal(t, tc.folds[i], into[i+1] == 0, "%s below %s: %s", tc.inner[i], tc.outer, tc.reason)
		}
	}
}

func TestRequestsOfModels(t *testing.T) {
	asked := func(messagesOnly bool, requests ...agentrun.ToolRequest) []agentrun.ModelResponse {
		return []agentrun.ModelResponse{{Span: agentrun.Span{ID: pcommon.SpanID{'m'}, Process: 1, End: 1}, Requests: requests, MessagesOnly: messagesOnly}}
	}
	search := agentrun.ToolRequest{ID: "call_abcdefghij", Name: "Search", Arguments: scoring.JSON(`{"q":1}`)}
	for _, tc := range []struct {
		name      string
		sources   agentrun.Sources
		calls     []agentrun.PendingCall
		responses []agentrun.ModelResponse
		want      []string
		reason    string
	}{
		{"a span with the ID", agentrun.Auto, []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", "call_abcdefghij", "")}, asked(false, search), []string{`search call_abcdefghij {"q":1}`}, "the request has the arguments"},
		{"a span without the ID", agentrun.Auto, []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", "", `{"q": 1}`)}, asked(false, search), []string{`search call_abcdefghij {"q": 1}`}, "the arguments are equal, so the request has its ID"},
		{"a span with another ID", agentrun.Auto, []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", "call_klmnopqrst", "")}, asked(false, search), []string{"search call_klmnopqrst"}, "different IDs are different calls"},
		{"no span", agentrun.Auto, nil, asked(false, search), nil, "the instrumentation writes tool spans, so nothing was called"},
		{"no span can be there", agentrun.Auto, nil, asked(true, search), []string{`Search call_abcdefghij {"q":1}`}, "the request is the call"},
		{"messages are not read", agentrun.Spans, nil, asked(true, search), nil, "the setting says so"},
		{"only messages are read", agentrun.Messages, []agentrun.PendingCall{tool(1, 'a', 'r', 2, "fetch", "", "")}, asked(false, search), []string{`Search call_abcdefghij {"q":1}`}, "no model asked for the span's call"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := New(&agentrun.Settings{Sources: tc.sources, KeepArguments: true}, new(compare.Work))
			got := r.Run(Recorded{Process: 1, Home: 1, Calls: tc.calls, Responses: tc.responses})
			require.Equal(t, tc.want, runtest.SayRecords(got.Calls), tc.reason)
			require.False(t, got.DependsOnOthers)
		})
	}
}

// A request of a model whose instrumentation writes no tool spans may be a call whose span was lost. Beside tool spans it counts
// only if all of them were requested and its result was shown. If it does not count, the run is not complete.
func TestRequestsWithoutASpanContradictSpans(t *testing.T) {
	const first, second = "call_abcdefghij", "call_klmnopqrst"
	search, shell := agentrun.ToolRequest{ID: first, Name: "search", Arguments: scoring.JSON(`{}`)}, agentrun.ToolRequest{ID: second, Name: "shell", Arguments: scoring.JSON(`{}`)}
	span := func(callID, arguments string) agentrun.PendingCall {
		return tool(1, 'a', 'r', 5, "search", callID, arguments)
	}
	for _, tc := range []struct {
		name         string
		messagesOnly bool
		call         agentrun.PendingCall
		requests     []agentrun.ToolRequest
		shown        bool // the result of shell
		want         []string
		contradicted bool
		reason       string
	}{
		{"its result was shown", true, span(first, ""), []agentrun.ToolRequest{search, shell}, true, []string{"search " + first + " {}", "shell " + second + " {}"}, false, "it counts"},
		{"no result", true, span(first, ""), []agentrun.ToolRequest{search, shell}, false, []string{"search " + first + " {}"}, true, "the run may have ended with the call"},
		{"beside a span with other arguments", true, span("", `{"limit":10}`), []agentrun.ToolRequest{search, shell}, true, []string{`search {"limit":10}`}, true, "nothing says that both use the same names"},
		{"a span with other arguments", true, span("", `{"limit":10}`), []agentrun.ToolRequest{search}, false, []string{`search {"limit":10}`}, false, "the framework may have added defaults"},
		{"a span with another ID", true, span(second, ""), []agentrun.ToolRequest{search}, false, []string{"search " + second}, true, "the span is of another call"},
		{"an instrumentation that writes tool spans", false, span(first, ""), []agentrun.ToolRequest{search, shell}, false, []string{"search " + first + " {}"}, false, "without a span nothing was called"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := New(&agentrun.Settings{KeepArguments: true}, new(compare.Work))
			s := Recorded{Process: 1, Home: 1, Calls: []agentrun.PendingCall{tc.call}, Responses: []agentrun.ModelResponse{
				{Span: agentrun.Span{ID: pcommon.SpanID{'m'}, Process: 1, End: 1}, Requests: tc.requests, MessagesOnly: tc.messagesOnly},
			}}
			if tc.shown {
				s.Results = map[agentrun.ProcessCallID]agentrun.TimedResult{{Process: 1, ID: second}: {ToolResult: agentrun.ToolResult{ID: second}}}
			}
			got := r.Run(s)
			require.ElementsMatch(t, tc.want, runtest.SayRecords(got.Calls), tc.reason)
			require.Equal(t, tc.contradicted, got.Contradicted, tc.reason)
		})
	}
}

// A result that a model was shown has an ID and no name. If several calls have the ID, it completes none of them.
func TestAResultOfSeveralCallsCompletesNone(t *testing.T) {
	const id, other = "call_abcdefghij", "call_klmnopqrst"
	asked := func(id, name string, end pcommon.Timestamp) agentrun.ModelResponse {
		m := asking(end, id, name, "")
		m.MessagesOnly = true
		return m
	}
	failed := func(id string) agentrun.TimedResult {
		return agentrun.TimedResult{ToolResult: agentrun.ToolResult{ID: id, Failed: true}, At: 4}
	}
	counted := asked("call_0", "fetch", 5)
	counted.Results = []agentrun.ToolResult{failed("call_0").ToolResult}
	for _, tc := range []struct {
		name         string
		calls        []agentrun.PendingCall
		responses    []agentrun.ModelResponse
		status       []scoring.CallStatus
		unsure       []bool
		contradicted bool
		reason       string
	}{
		{"an ID of one call", []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", id, ""), tool(1, 'b', 'r', 6, "fetch", other, "")}, []agentrun.ModelResponse{asked(id, "search", 1), asked(other, "fetch", 5)},
			[]scoring.CallStatus{scoring.StatusFailed, scoring.StatusUnset}, []bool{false, false}, false, "the result is of the first call"},
		{"an ID of two calls", []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", id, ""), tool(1, 'b', 'r', 6, "fetch", id, "")}, []agentrun.ModelResponse{asked(id, "search", 1), asked(id, "fetch", 5)},
			[]scoring.CallStatus{scoring.StatusUnset, scoring.StatusUnset}, []bool{true, true}, false, "it may be of either"},
		{"an ID of a call and of a request", []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", id, "")}, []agentrun.ModelResponse{asked(id, "search", 1), asked(id, "fetch", 5)},
			[]scoring.CallStatus{scoring.StatusUnset, scoring.StatusUnset}, []bool{true, true}, true, "whether the second call ran is not known"},
		{"an ID that counts calls up", []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", "call_0", ""), tool(1, 'b', 'r', 6, "fetch", "call_0", "")}, []agentrun.ModelResponse{asked("call_0", "search", 1), counted},
			[]scoring.CallStatus{scoring.StatusFailed, scoring.StatusUnset}, []bool{false, false}, false, "the next result is the first call's"},
		{"an ID that parallel calls have", []agentrun.PendingCall{tool(1, 'a', 'r', 2, "search", "call_0", ""), tool(1, 'b', 'r', 3, "fetch", "call_0", "")}, []agentrun.ModelResponse{asked("call_0", "search", 1), counted},
			[]scoring.CallStatus{scoring.StatusUnset, scoring.StatusUnset}, []bool{true, true}, false, "the next result is that of both"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := New(&agentrun.Settings{}, new(compare.Work))
			results := map[agentrun.ProcessCallID]agentrun.TimedResult{{Process: 1, ID: id}: failed(id)}
			got := r.Run(Recorded{Process: 1, Home: 1, Calls: tc.calls, Responses: tc.responses, Results: results})
			var status []scoring.CallStatus
			var unsure []bool
			for i := range got.Calls {
				status, unsure = append(status, got.Calls[i].Status), append(unsure, got.Calls[i].FromOtherProcess.Forgotten)
			}
			require.Equal(t, tc.status, status, tc.reason)
			require.Equal(t, tc.unsure, unsure, tc.reason)
			require.Equal(t, tc.contradicted, got.Contradicted, tc.reason)
		})
	}
}

// asking is a model's response at that time, with one request. The arguments may be "".
func asking(end pcommon.Timestamp, id, name, arguments string) agentrun.ModelResponse {
	request := agentrun.ToolRequest{ID: id, Name: name}
	if arguments != "" {
		request.Arguments = scoring.JSON(arguments)
	}
	return agentrun.ModelResponse{Span: agentrun.Span{ID: pcommon.SpanID{byte(end)}, Process: 1, Start: end, End: end}, Requests: []agentrun.ToolRequest{request}}
}

// requestedCall is a call with a span, beside requests of models.
type requestedCall struct {
	name         string
	call         agentrun.PendingCall
	responses    []agentrun.ModelResponse
	want         string
	contradicted bool
	reason       string
}

func (tc *requestedCall) check(t *testing.T) {
	r := New(&agentrun.Settings{KeepArguments: true}, new(compare.Work))
	got := r.Run(Recorded{Process: 1, Home: 1, Calls: []agentrun.PendingCall{tc.call}, Responses: tc.responses})
	require.Equal(t, []string{tc.want}, runtest.SayRecords(got.Calls), tc.reason)
	require.Equal(t, tc.contradicted, got.Contradicted, tc.reason)
}

// The name of a call that lost its case and separators comes from requests. A model that also asks for a tool in another
// spelling, which does not exist, must not hide the name of the tool that ran.
func TestNormalizedNamesComeFromRequestsThatAgree(t *testing.T) {
	sent := func(callID, arguments string) agentrun.PendingCall {
		c := tool(1, 'a', 'r', 5, "sendMail", callID, arguments)
		c.Traits.NormalizedName = true
		return c
	}
	const first, second = "call_abcdefghij", "call_klmnopqrst"
	for _, tc := range []requestedCall{
		{"one spelling", sent("", `{"to":1}`), []agentrun.ModelResponse{asking(1, first, "send_mail", `{"to":1}`), asking(2, second, "send_mail", `{"to":2}`)},
			"send_mail " + first + ` {"to":1}`, false, "the requests agree"},
		{"other arguments", sent("", `{"to":1}`), []agentrun.ModelResponse{asking(1, first, "send_mail", `{"to":1,"junk":1}`)},
			`send_mail {"to":1}`, false, "the framework may leave out an argument, and the tool is the same"},
		{"a request that failed before", sent("", `{"to":1}`), []agentrun.ModelResponse{asking(1, first, "Send-Mail", `{"to":1}`), asking(2, second, "send_mail", `{"to":1}`)},
			"Send-Mail " + first + ` {"to":1}`, true, "nothing says which of them is the tool's name"},
		{"a request that failed after", sent("", `{"to":1}`), []agentrun.ModelResponse{asking(1, first, "send_mail", `{"to":1}`), asking(9, second, "Send-Mail", `{"to":1}`)},
			"send_mail " + first + ` {"to":1}`, true, "likewise"},
		{"a request that failed, and other arguments", sent("", `{"to":1}`), []agentrun.ModelResponse{asking(1, first, "Send-Mail", `{"to":2}`), asking(2, second, "send_mail", `{"to":3}`)},
			`sendMail {"to":1}`, true, "likewise, and neither request is the call's"},
		{"a call ID", sent(second, `{"to":1}`), []agentrun.ModelResponse{asking(1, first, "Send-Mail", `{"to":1}`), asking(2, second, "send_mail", `{"to":1}`)},
			"send_mail " + second + ` {"to":1}`, false, "the ID says which request is meant"},
		{"an ID that several calls may have", sent("call_1", `{"to":1}`), []agentrun.ModelResponse{asking(1, "call_1", "Send-Mail", `{"to":1}`), asking(2, "call_1", "send_mail", `{"to":1}`)},
			`Send-Mail call_1 {"to":1}`, true, "it says nothing"},
	} {
		t.Run(tc.name, tc.check)
	}
}

// Some instrumentations write the only argument of a tool without its name. A model may write an object into it. Then the
// keys of this object are not those of the arguments, and must not hide what the argument was.
func TestTextsOfModelsAreNotArguments(t *testing.T) {
	const id = "call_abcdefghij"
	asked := func(id, arguments string) agentrun.ModelResponse { return asking(1, id, "send", arguments) }
	bare := tool(1, 'a', 'r', 5, "send", "", `"mallory"`)
	bare.Traits.UnnamedArgument = true
	text := `{"body":"{\"to\":1}"}`
	for _, tc := range []requestedCall{
		{"a text by ID", tool(1, 'a', 'r', 5, "send", id, `{"to":1}`), []agentrun.ModelResponse{asked(id, text)},
			"send " + id + " " + text, false, "the tool was given the text"},
		{"a text in Python's form", tool(1, 'a', 'r', 5, "send", id, `{"to":1}`), []agentrun.ModelResponse{asked(id, `{"body":"{'to': 1}"}`)},
			"send " + id + ` {"body":"{'to': 1}"}`, false, "dialects read this form too"},
		{"an escaped brace", tool(1, 'a', 'r', 5, "send", id, `{"to":1}`), []agentrun.ModelResponse{asked(id, `{"body":"\u007B\"to\":1}"}`)},
			"send " + id + ` {"body":"\u007B\"to\":1}"}`, false, "it is the same text"},
		{"a text with the argument's name in it", tool(1, 'a', 'r', 5, "send", id, `{"body":"x","to":1}`), []agentrun.ModelResponse{asked(id, `{"body":"{\"body\":\"x\",\"to\":1}"}`)},
			"send " + id + ` {"body":"{\"body\":\"x\",\"to\":1}"}`, false, "the argument has another value"},
		{"a text without an ID", tool(1, 'a', 'r', 5, "send", "", `{"to":1}`), []agentrun.ModelResponse{asked("", text)},
			"send " + text, true, "the request may be another one"},
		{"a request with the text, and the call's", tool(1, 'a', 'r', 5, "send", "", `{"to":1}`), []agentrun.ModelResponse{asked("", text), asked("", `{"to":1}`)},
			`send {"to":1}`, false, "equal arguments are the same call"},
		{"a default beside the text", tool(1, 'a', 'r', 5, "send", id, `{"body":"{\"to\":1}","cc":2}`), []agentrun.ModelResponse{asked(id, text)},
			"send " + id + ` {"body":"{\"to\":1}","cc":2}`, false, "the argument has its name"},
		{"a framework that decodes the text", tool(1, 'a', 'r', 5, "send", id, `{"body":{"to":1}}`), []agentrun.ModelResponse{asked(id, text)},
			"send " + id + ` {"body":{"to":1}}`, false, "likewise"},
		{"another text", tool(1, 'a', 'r', 5, "send", id, `{"to":1}`), []agentrun.ModelResponse{asked(id, `{"body":"hello"}`)},
			"send " + id + ` {"to":1}`, false, "what the tool was given is truer than what the model asked for"},
		{"the request of another text", bare, []agentrun.ModelResponse{asked("", `{"body":"alice"}`)},
			`send "mallory"`, false, "the model asked for another call"},
	} {
		t.Run(tc.name, tc.check)
	}
}

func TestWhatAnotherProcessAdds(t *testing.T) {
	own := tool(1, 'a', 'r', 2, "search", "call_abcdefghij", "")
	for _, tc := range []struct {
		name       string
		home       agentrun.Process
		other      agentrun.PendingCall
		want       []string
		depends    bool
		duplicates int
		reason     string
	}{
		{"the same call", 1, tool(2, 'b', 'a', 2, "search", "call_abcdefghij", `{"q":1}`), []string{`search call_abcdefghij {"q":1}`}, false, 1, "the arguments come from the server"},
		{"another call", 1, tool(2, 'b', 'x', 3, "fetch", "", ""), []string{"search call_abcdefghij", "fetch"}, true, 0, "only the other process knows of it"},
		{"another call of a whole trace", 0, tool(2, 'b', 'x', 3, "fetch", "", ""), []string{"search call_abcdefghij", "fetch"}, false, 0, "all processes of a whole trace are equal"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := New(&agentrun.Settings{}, new(compare.Work))
			got := r.Run(Recorded{Process: 1, Home: tc.home, Calls: []agentrun.PendingCall{own, tc.other}})
			require.Equal(t, tc.want, runtest.SayRecords(got.Calls), tc.reason)
			require.Equal(t, tc.depends, got.DependsOnOthers, tc.reason)
			require.Equal(t, tc.duplicates, got.Duplicates, tc.reason)
		})
	}
}

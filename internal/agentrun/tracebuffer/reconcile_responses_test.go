package tracebuffer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// ask makes a request from "name id arguments"; an id of "-" is none, and without arguments they were not captured.
func ask(spec string) agentrun.ToolRequest {
	parts := strings.SplitN(spec, " ", 3)
	a := agentrun.ToolRequest{Name: parts[0]}
	if len(parts) > 1 && parts[1] != "-" {
		a.ID = parts[1]
	}
	if len(parts) > 2 {
		a.Arguments = scoring.JSON(parts[2])
	}
	return a
}

// model is a model call that requested calls and was shown the results of those with the IDs in results. messagesOnly: its
// instrumentation writes no tool spans.
func model(messagesOnly bool, spec, results string, requests ...string) func(*fixture) {
	return func(b *fixture) {
		a := agentrun.ModelResponse{Span: at(spec), MessagesOnly: messagesOnly}
		for _, r := range requests {
			a.Requests = append(a.Requests, ask(r))
		}
		for id := range strings.FieldsSeq(results) {
			a.Results = append(a.Results, agentrun.ToolResult{ID: id, Output: scoring.Text("result of " + id)})
		}
		b.AddResponse(b.now, a)
	}
}

// span is a tool span "name id arguments".
func span(spec, what string, traits agentrun.Traits) func(*fixture) {
	return func(b *fixture) {
		a := ask(what)
		b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: a.Name, Arguments: a.Arguments}, CallID: a.ID, Span: at(spec), Traits: traits})
	}
}

func executed(h agentrun.ClosedBatch) []string {
	var lines []string
	for _, r := range h.Runs {
		for _, c := range r.Calls {
			line := c.Name + " " + c.CallID + " " + string(c.Arguments.AppendJSON(nil))
			if c.Output.Captured() {
				line += " = " + string(c.Output.AppendJSON(nil))
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Requests of models fill in what tool spans lack, and count if nothing else records calls.
func TestModelResponsesCompleteToolSpans(t *testing.T) {
	const messagesOnly, framework = true, false
	for _, tc := range []struct {
		name    string
		sources agentrun.Sources
		steps   []func(*fixture)
		want    []string
		reason  string
	}{
		{"nothing but models", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x i1 {"k":1}`, `y i2 {}`), model(messagesOnly, "n<a 3-4", "i1 i2"),
		}, []string{`x i1 {"k":1} = "result of i1"`, `y i2 {} = "result of i2"`}, "the instrumentation has no tool spans"},
		{"one tool twice at the same instant", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(framework, "m<a 1-2", "", `x i1 {"k":2}`, `x i2 {"k":1}`), span("b<a 3-4", `x i2 {"k":1}`, agentrun.Traits{}), span("c<a 3-4", `x i1 {"k":2}`, agentrun.Traits{}),
		}, []string{`x i1 {"k":2}`, `x i2 {"k":1}`}, "the model's response says which is first"},
		{"one tool twice at the same instant, without ids", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(framework, "m<a 1-2", "", `x - {"k":2}`, `x - {"k":1}`), span("b<a 3-4", `x - {"k":1}`, agentrun.Traits{}), span("c<a 3-4", `x - {"k":2}`, agentrun.Traits{}),
		}, []string{`x  {"k":2}`, `x  {"k":1}`}, "equal arguments are the same call"},
		{"one tool twice at the same instant, and no model", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("c<a 3-4", `x - {"k":2}`, agentrun.Traits{}), span("b<a 3-4", `x - {"k":1}`, agentrun.Traits{}),
		}, []string{`x  {"k":1}`, `x  {"k":2}`}, "the span's id decides, and scoring takes them for concurrent"},
		{"a model of a framework that has tool spans", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(framework, "m<a 1-2", "", `x i1 {"k":1}`),
		}, nil, "what was executed would have a span"},
		{"spans are enough", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x i1 {"k":1}`), span("c<a 2-3", `x i1 {"k":2}`, agentrun.Traits{}),
		}, []string{`x i1 {"k":2}`}, "what the tool was given is truer than what the model asked for"},
		{"the same call without ids", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x i1 {"k":1}`, `x i2 {"k":2}`),
			span("c<a 2-3", `x - {"k":2}`, agentrun.Traits{}), span("d<a 3-4", `x - {"k":1}`, agentrun.Traits{}),
		}, []string{`x i2 {"k":2}`, `x i1 {"k":1}`}, "arguments distinguish them"},
		{"a span was lost", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x i1 {"k":1}`), model(messagesOnly, "n<a 3-4", "i1", `x i2 {"k":2}`),
			model(messagesOnly, "o<a 5-6", "i2"), span("d<a 4-5", `x - {"k":2}`, agentrun.Traits{}),
		}, []string{`x i1 {"k":1} = "result of i1"`, `x i2 {"k":2} = "result of i2"`},
			"the model was given a result, and all other spans were asked for"},
		{"never executed", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x i1 {"k":1}`, `x i2 {"k":2}`), span("d<a 4-5", `x - {"k":2}`, agentrun.Traits{}),
		}, []string{`x i2 {"k":2}`}, "no model was shown a result of the other"},
		{"both sides use other names", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x i1 {"k":1}`), model(messagesOnly, "n<a 5-6", "i1"), span("d<a 4-5", `run_x - {"k":1}`, agentrun.Traits{}),
		}, []string{`run_x  {"k":1}`}, "it would count twice"},
		{"arguments that were not captured", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(framework, "m<a 1-2", "", `x i1 {"k":1}`), span("c<a 2-3", `x`, agentrun.Traits{}),
		}, []string{`x i1 {"k":1}`}, "the model's are the next best"},
		{"a bare argument", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(framework, "m<a 1-2", "", `x i1 {"k":"p"}`, `x i2 {"k":"q"}`),
			span("c<a 2-3", `x - "q"`, agentrun.Traits{UnnamedArgument: true}), span("d<a 3-4", `x - "p"`, agentrun.Traits{UnnamedArgument: true}),
		}, []string{`x i2 {"k":"q"}`, `x i1 {"k":"p"}`}, "the model knows the argument's name"},
		{"a folded name", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(framework, "m<a 1-2", "", `get_weather i1 {"k":1}`), span("c<a 2-3", `getWeather - {"k":1}`, agentrun.Traits{NormalizedName: true}),
		}, []string{`get_weather i1 {"k":1}`}, "the model knows the tool's name"},
		{"a request of another tool with the id of a call", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x call_7201bee7`, `y call_7201bee7 {"k":1}`),
			model(messagesOnly, "n<a 5-6", "call_7201bee7"), span("c<a 2-3", `x call_7201bee7`, agentrun.Traits{}),
		}, []string{`y call_7201bee7 {"k":1}`, `x call_7201bee7 null`}, "both were asked for, and one span was lost; the result may be of either"},
		{"a request of another tool, of messages", agentrun.Messages, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `y call_7201bee7 {"k":1}`), span("c<a 2-3", `x call_7201bee7`, agentrun.Traits{}),
		}, []string{`y call_7201bee7 {"k":1}`}, "the span does not take the place of what the model asked for"},
		{"the same request in two spans", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x call_7201bee7 {"k":1}`), model(messagesOnly, "n<a 1-2", "", `x call_7201bee7`),
		}, []string{`x call_7201bee7 {"k":1}`}, "one call id is one call"},
		{"ids that count up in every answer", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x call_0 {"k":1}`), model(messagesOnly, "n<a 3-4", "call_0", `y call_0 {"k":2}`),
			model(messagesOnly, "o<a 5-6", "call_0"),
		}, []string{`x call_0 {"k":1} = "result of call_0"`, `y call_0 {"k":2} = "result of call_0"`}, "they name other calls"},
		{"spans with ids that count up", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x call_0 {"k":1}`), model(messagesOnly, "n<a 3-4", "call_0", `y call_0 {"k":2}`),
			span("c<a 2-3", `x call_0`, agentrun.Traits{}), span("d<a 4-5", `y call_0`, agentrun.Traits{}),
		}, []string{`x call_0 {"k":1} = "result of call_0"`, `y call_0 {"k":2}`}, "each has the arguments of its own request"},
		{"requests without ids", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x - {"k":1}`, `x - {"k":1}`),
		}, []string{`x  {"k":1}`, `x  {"k":1}`}, "the same twice is two calls"},
		{"spans only", agentrun.Spans, []func(*fixture){
			agent("a 1-9"), model(messagesOnly, "m<a 1-2", "", `x i1 {"k":1}`), span("c<a 2-3", `y`, agentrun.Traits{}),
		}, []string{`y  null`}, "models are not listened to"},
		{"messages only", agentrun.Messages, []func(*fixture){
			agent("a 1-9"), model(framework, "m<a 1-2", "", `x i1 {"k":1}`, `z i3 {}`), model(framework, "n<a 4-5", "i1 i3"),
			span("c<a 2-3", `x i1`, agentrun.Traits{}), span("d<a 3-4", `y i2 {}`, agentrun.Traits{}),
		}, []string{`x i1 {"k":1} = "result of i1"`, `z i3 {} = "result of i3"`}, "y was not asked for, and z has no span"},
		{"an outcome", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("c<a 2-3", `x - {"k":1}`, agentrun.Traits{}), span("d<a 4-5", `x - {"k":1}`, agentrun.Traits{}),
			span("e<a 5-6", `x - {"k":1}`, agentrun.Traits{ResultOnly: true}), span("f<a 6-7", `x - {"k":1}`, agentrun.Traits{ResultOnly: true}),
		}, []string{`x  {"k":1}`, `x  {"k":1}`}, "each belongs to the next call like it"},
		{"an outcome by call id", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("c<a 2-3", `x i1 {"k":1}`, agentrun.Traits{}), span("d<c 2-3", `y i1`, agentrun.Traits{ResultOnly: true}),
		}, []string{`x i1 {"k":1}`, `y i1 null`}, "what ended was another tool, whatever id a sender gives it"},
		{"an outcome by call id, spelled otherwise", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("c<a 2-3", `get_x i1 {"k":1}`, agentrun.Traits{}), span("d<c 2-3", `getX i1`, agentrun.Traits{ResultOnly: true}),
		}, []string{`get_x i1 {"k":1}`}, "it is the same tool"},
		{"a result without arguments", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("c<a 2-3", `x - {"k":1}`, agentrun.Traits{}), span("e<a 5-6", `x`, agentrun.Traits{ResultOnly: true}),
		}, []string{`x  {"k":1}`}, "the next call of that name"},
		{"outcomes of calls that are alike", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), plain("p<a 1-4"), plain("q<a 1-4"),
			span("c<p 2-3", `x call_0`, agentrun.Traits{}), span("d<q 2-4", `x call_1`, agentrun.Traits{}),
			span("e<q 4-5", `x call_1`, agentrun.Traits{ResultOnly: true}), span("f<p 5-6", `x call_0`, agentrun.Traits{ResultOnly: true}),
		}, []string{`x call_0 null`, `x call_1 null`}, "each belongs to the call with its id and parent"},
		{"an outcome of nothing", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("e<a 5-6", ` call_7201bee762b6`, agentrun.Traits{ResultOnly: true}),
		}, nil, "it has no name, and no span has its id"},
		{"a tool that calls itself with other arguments", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("c<a 2-8", `x - {"k":1}`, agentrun.Traits{}), span("d<c 3-5", `x - {"k":2}`, agentrun.Traits{}),
		}, []string{`x  {"k":1}`, `x  {"k":2}`}, "two calls"},
		{"a protocol that writes arguments in its own way", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("c<a 2-8", `x - {"k":1}`, agentrun.Traits{}), span("d<c 3-5", `x - {"k":1,"default":2}`, agentrun.Traits{MCP: true}),
		}, []string{`x  {"k":1}`}, "client and server of the same call"},
		{"an outcome alone", agentrun.Auto, []func(*fixture){
			agent("a 1-9"), span("e<a 5-6", `x - {"k":1}`, agentrun.Traits{ResultOnly: true}),
		}, []string{`x  {"k":1}`}, "what ended was called"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, forwards := range []bool{true, false} {
				b := newFixture(t, func(s *Settings) { s.Sources = tc.sources })
				steps := slices.Clone(tc.steps)
				if !forwards {
					slices.Reverse(steps)
				}
				for _, step := range steps {
					step(b)
					step(b) // a retried export
				}
				h := b.wait(5 * time.Second)
				if got := executed(h); !slices.Equal(got, tc.want) {
					t.Errorf("forwards %v: calls are\n\t%s\nwant\n\t%s\n%s", forwards,
						strings.Join(got, "\n\t"), strings.Join(tc.want, "\n\t"), tc.reason)
				}
				b.held -= held(h)
				b.done()
			}
		})
	}
}

// With include a call counts for its run and for all around it, whichever of them closes first.
func TestIncludeCountsForAllAround(t *testing.T) {
	steps := []func(*fixture){
		agent("a 1-9"), call("research", "t<a 2-6"), agent("b<t 2-6"), call("x", "c<b 3-4"), call("y", "d<a 7-8"),
	}
	want := []string{"a: research, x, y (anchor)", "b: x (anchor)"}
	for _, forwards := range []bool{true, false} {
		b := newFixture(t, func(s *Settings) { s.Include = true })
		order := slices.Clone(steps)
		if !forwards {
			slices.Reverse(order)
		}
		for _, step := range order {
			step(b)
		}
		b.want(b.wait(5*time.Second), want...)
		b.done()
	}
}

// The inner run closes long before the one around it, and its calls still count there.
func TestIncludeWaitsForTheRunAround(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.Include = true })
	call("x", "c<b 3-4")(b)
	agent("b<t 2-6")(b)
	b.want(b.wait(5*time.Second), "b: x (anchor)")
	call("research", "t<a 2-6")(b)
	agent("a 1-9")(b)
	b.want(b.wait(5*time.Second), "a: research, x (anchor)")
	b.done()
}

// The run around closes first, and the inner one still gets its call.
func TestIncludeWhenTheInnerRunComesLast(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.Include = true })
	call("x", "c<b 3-4")(b)
	b.link("b<t 2-6")
	call("research", "t<a 2-6")(b)
	agent("a 1-9")(b)
	b.now = b.now.Add(time.Second)
	agent("b<t 2-6")(b)
	b.want(b.wait(4*time.Second), "a: research, x (anchor)")
	b.want(b.wait(time.Second), "b: x (anchor)")
	b.done()
}

// A model that is shown results of another agent's calls does not take them from that agent's run, in any order of arrival.
func TestAHistoryIsEverybodys(t *testing.T) {
	const id = "call_7201bee762b6"
	steps := []func(*fixture){
		agent("a<r 1-4"), model(true, "m<a 1-2", "", "x "+id), model(true, "n<a 3-4", id),
		agent("b<r 5-9"), model(true, "o<b 6-7", id),
	}
	for _, forwards := range []bool{true, false} {
		b := newFixture(t, nil)
		order := slices.Clone(steps)
		if !forwards {
			slices.Reverse(order)
		}
		for _, step := range order {
			step(b)
		}
		h := b.wait(5 * time.Second)
		if got, want := executed(h), []string{`x ` + id + ` null = "result of ` + id + `"`}; !slices.Equal(got, want) {
			t.Errorf("forwards %v: calls are %q, want %q", forwards, got, want)
		}
		b.held -= held(h)
		b.done()
	}
}

// If there are no tool spans, the requests of the inner agent's model count for the enclosing run as well.
func TestIncludeCountsRequestsToo(t *testing.T) {
	for _, forwards := range []bool{true, false} {
		b := newFixture(t, func(s *Settings) { s.Include = true })
		steps := []func(*fixture){agent("a 1-9"), agent("b<a 2-6"), model(true, "m<b 3-4", "", "x i1")}
		if !forwards {
			slices.Reverse(steps)
		}
		for _, step := range steps {
			step(b)
		}
		b.want(b.wait(5*time.Second), "a: x (anchor)", "b: x (anchor)")
		b.done()
	}
}

// If the enclosing run never arrives, the calls of the inner one are no run of their own.
func TestIncludeLeavesNoGhost(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.Include = true })
	call("x", "c<b 3-4")(b)
	agent("b<t 2-6")(b)
	b.want(b.wait(5*time.Second), "b: x (anchor)")
	b.want(b.wait(time.Minute))
	b.done()
}

// Calls that only MCP spans record are no run.
func TestMCPSpansAloneAreNoRun(t *testing.T) {
	b := newFixture(t, nil)
	span("c<s 3-4", "x", agentrun.Traits{MCP: true})(b)
	h := b.wait(time.Minute)
	b.want(h)
	if h.Duplicates != 1 {
		t.Errorf("%d duplicates, want 1: another span records the call", h.Duplicates)
	}
	b.done()
}

// A model is repeatedly shown all results of its turn. The kept results grow with the calls, not with their square.
func TestLongHistoriesAreKeptOnce(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxCalls = 100 })
	var shown []string
	for i := range 90 {
		asked := fmt.Sprintf("call_abcdef%04d0000x", i)
		start := 2 * i
		model(true, fmt.Sprintf("%c<a %d-%d", 'A'+i, start, start+1), strings.Join(shown, " "), "x "+asked)(b)
		shown = append(shown, asked)
	}
	if b.Size() > 90*(agentrun.ModelResponseBytes+4*agentrun.ToolRequestBytes+200) {
		t.Errorf("%d bytes are kept of 90 requests", b.Size())
	}
	agent("a 0-500")(b)
	h := b.wait(5 * time.Second)
	if r := h.Runs[0]; len(r.Calls) != 90 || !r.Complete {
		t.Errorf("%d calls, complete %v, want all 90", len(r.Calls), r.Complete)
	}
	if out := string(h.Runs[0].Calls[3].Output.AppendJSON(nil)); out != `"result of call_abcdef00030000x"` {
		t.Errorf("the result of a call is %s", out)
	}
	b.held -= held(h)
	b.done()
}

// The result that a model was shown completes the call's span, for any number of calls.
func TestResultsCompleteSpans(t *testing.T) {
	const few = 16 // up to this number they are compared, and more are hashed
	for _, calls := range []int{1, few, few + 1, 3 * few} {
		b := newFixture(t, nil)
		asked := agentrun.ModelResponse{Span: at("m<a 1-2"), MessagesOnly: true}
		shown := agentrun.ModelResponse{Span: at("n<a 8-9"), MessagesOnly: true}
		for i := range calls {
			callID := fmt.Sprintf("call_%020d", i)
			asked.Requests = append(asked.Requests, agentrun.ToolRequest{ID: callID, Name: "search"})
			shown.Results = append(shown.Results, agentrun.ToolResult{ID: callID, Output: scoring.JSON("18"), Failed: i == 0})
			c := agentrun.Call{
				Call:   scoring.Call{Name: "search", Arguments: scoring.JSON("{}")},
				Span:   agentrun.Span{Trace: asked.Trace, ID: pcommon.SpanID{0xc, byte(i)}, Parent: id("a"), Start: asked.End, End: shown.Start},
				CallID: callID,
			}
			_, late := b.AddCall(b.now, c)
			require.False(t, late)
		}
		b.AddResponse(b.now, asked)
		b.AddResponse(b.now, shown)
		b.anchor(agentrun.Agent, "a 1-9")
		runs := b.wait(10 * time.Second).Runs
		require.Len(t, runs, 1)
		require.Len(t, runs[0].Calls, calls)
		for i, c := range runs[0].Calls {
			require.Equal(t, i == 0, c.Status == scoring.StatusFailed, "%d calls", calls)
			require.Equal(t, scoring.JSON("18"), c.Output, "%d calls", calls)
		}
	}
}

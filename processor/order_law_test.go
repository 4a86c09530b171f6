package processor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// chat is a model call by the conventions. It was given messages, and requested calls "name id".
func chat(id, parent string, start, end int, given string, asked ...string) span {
	var parts []string
	for _, call := range asked {
		name, callID, _ := strings.Cut(call, " ")
		parts = append(parts, fmt.Sprintf(`{"type":"tool_call","name":%q,"id":%q,"arguments":{}}`, name, callID))
	}
	return span{id: id, parent: parent, start: start, end: end, scope: "app", attributes: map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": given,
		"gen_ai.output.messages": `[{"role":"assistant","parts":[` + strings.Join(parts, ",") + `]}]`,
	}}
}

// shownResult is the messages for a model that is shown the result of a call.
func shownResult(id string, failed bool) string {
	return fmt.Sprintf(`[{"role":"user","parts":[]},{"role":"tool","parts":[{"type":"tool_call_response","id":%q,"response":"x","is_error":%v}]}]`, id, failed)
}

const (
	t0        = 100 // when the plays begin
	oneID     = "call_aaaaaaaaa1"
	anotherID = "call_bbbbbbbbb1"
)

// idOr is another ID, or one that is used again.
func idOr(again bool, used string) string {
	if again {
		return used
	}
	return "call_ccccccccc1"
}

// bad is a tool that must not be called.
var bad = scoring.ExpectationSettings{Forbidden: []scoring.Tool{{Name: "bad"}}}

// twinActs are plays in two variants: in the other one a model writes something else that is no call. Both variants have the same calls,
// and one run.
var twinActs = []struct {
	name     string
	expected scoring.ExpectationSettings
	change   func(*Settings)
	run      string
	play     func(other bool) []span
}{
	{"a model uses the ID of a parallel call again", scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "approve"}, {Name: "pay"}}}, scoredInOrder, "A", func(other bool) []span {
		id := idOr(other, anotherID)
		return []span{agent("A", "", t0, t0+20),
			model("m", "A", t0+1, t0+2, nil, "log "+oneID, "pay "+anotherID),
			tool("l", "A", t0+3, t0+4, "log").with("gen_ai.tool.call.id", oneID),
			tool("p", "A", t0+3, t0+4, "pay").with("gen_ai.tool.call.id", anotherID),
			model("m2", "A", t0+5, t0+6, []string{oneID, anotherID}, "approve "+id),
			tool("q", "A", t0+7, t0+8, "approve").with("gen_ai.tool.call.id", id)}
	}},
	{"a later loop uses an ID again", bad, nil, "R", func(other bool) []span {
		id := idOr(other, oneID)
		return []span{plain("R", "", t0, t0+9),
			model("m", "R", t0+1, t0+2, nil, "search "+oneID), model("m2", "R", t0+3, t0+4, []string{oneID}),
			model("o", "R", t0+5, t0+6, nil, "bad "+id), model("o2", "R", t0+7, t0+8, []string{id})}
	}},
	{"an earlier loop whose parent is lost", bad, nil, "m", func(other bool) []span {
		spans := []span{model("m", "", t0, t0+1, nil, "bad "+oneID)}
		if other {
			spans = append(spans, model("o", "lost", t0-2, t0-1, nil, "search "+anotherID))
		}
		return spans
	}},
	{"a model uses the ID of a call that failed again", bad, func(s *Settings) { s.IgnoreFailed = true }, "A", func(other bool) []span {
		id := idOr(other, oneID)
		return []span{agent("A", "", t0, t0+20),
			chat("m", "A", t0+1, t0+2, `[{"role":"user","parts":[]}]`, "search "+oneID),
			tool("p", "A", t0+3, t0+4, "search").with("gen_ai.tool.call.id", oneID),
			chat("m2", "A", t0+5, t0+6, shownResult(oneID, true), "bad "+id),
			tool("q", "A", t0+7, t0+8, "bad").with("gen_ai.tool.call.id", id),
			chat("m3", "A", t0+9, t0+10, shownResult(id, false))}
	}},
	{"a user's content that has a role", bad, nil, "R", func(other bool) []span {
		role := "x"
		if other {
			role = "assistant"
		}
		return []span{plain("R", "", t0, t0+9),
			chat("m", "R", t0+1, t0+2, `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`, "search "+oneID),
			chat("o", "R", t0+5, t0+6, `[{"role":"user","parts":[{"type":"data","content":{"role":"`+role+`"}}]}]`, "bad "+anotherID)}
	}},
	{"a model asks for many calls in the order in which they end", scoring.ExpectationSettings{
		Forbidden: []scoring.Tool{{Name: "pay", Arguments: scoring.JSON(`{"n":39}`)}},
	}, func(s *Settings) { s.IgnoreFailed, s.Run.Sources = true, runs.Messages }, "A", func(other bool) []span {
		m, all := model("m", "A", t0+1, t0+2, nil), []span{agent("A", "", t0, t0+90)}
		for i := range 40 {
			arguments, place := fmt.Sprintf(`{"n":%d}`, i), 39-i
			if other {
				place = i
			}
			asked := fmt.Sprint("llm.output_messages.0.message.tool_calls.", place, ".tool_call.")
			m = m.with(asked+"id", "call_0").with(asked+"function.name", "pay").with(asked+"function.arguments", arguments)
			c := tool(fmt.Sprint("c", i), "A", t0+50-i, t0+60, "pay").with("gen_ai.tool.call.arguments", arguments)
			if i == 39 {
				c = c.with("error.type", "timeout")
			}
			all = append(all, c)
		}
		return append(all, m)
	}},
	{"many tools that run agents", scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}}, nil, "A", func(other bool) []span {
		step := func(id, parent string) span {
			return span{id: id, parent: parent, start: t0 + 2, end: t0 + 3, name: "agent.toolCalling", scope: "@arizeai/openinference-instrumentation-beeai",
				attributes: map[string]any{"openinference.span.kind": "AGENT"}}
		}
		all := []span{tool("last", "A", t0+1, t0+8, "ask")}
		for i := range 200 {
			id := fmt.Sprint("t", i)
			if all = append(all, tool(id, "A", t0+1, t0+8, "ask")); other {
				all = append(all, step("s"+id, id))
			}
		}
		return append(all, step("s", "last"), tool("x", "last", t0+4, t0+5, "search"), agent("A", "", t0, t0+9))
	}},
}

// BeeAI's spans have a tool's name in camel case. A forbidden tool is not missed because no request has its name.
func TestNormalizedNamesHideNoForbiddenTool(t *testing.T) {
	const scope = "@arizeai/openinference-instrumentation-beeai"
	beeAI := func(id string, at int, path string) span {
		return span{id: id, parent: "A", start: at, end: at, name: path, scope: scope, attributes: map[string]any{"openinference.span.kind": "TOOL", "target": path}}
	}
	for _, tc := range []struct{ forbidden, want, reason string }{
		{"delete_account", "not_evaluable", "the tool may have this name"},
		{"delete_*", "not_evaluable", "a pattern has separators, too"},
		{"delete_accounts", "scored", "it is another tool"},
		{"deleteAccount", "scored", "the call is forbidden"},
		{"deleteAccount delete_account", "scored", "the call is forbidden, whatever else it may be"},
	} {
		var x scoring.ExpectationSettings
		for name := range strings.FieldsSeq(tc.forbidden) {
			x.Forbidden = append(x.Forbidden, scoring.Tool{Name: name})
		}
		v := verdictOf(t, x, nil, "A", beeAI("x", t0+3, "tool.dynamic.deleteAccount.start"), beeAI("y", t0+4, "tool.dynamic.deleteAccount.success"),
			span{id: "A", start: t0, end: t0 + 9, name: "beeai-framework-main", scope: scope, attributes: map[string]any{"openinference.span.kind": "AGENT", "source": "ReAct"}})
		assert.Equal(t, tc.want, v["tool_correctness.status"], tc.reason)
	}
}

// What a model writes changes no verdict that stays complete.
func TestTwinsHaveOneCompleteVerdict(t *testing.T) {
	for _, act := range twinActs {
		t.Run(act.name, func(t *testing.T) {
			one, other := verdictOf(t, act.expected, act.change, act.run, act.play(false)...), verdictOf(t, act.expected, act.change, act.run, act.play(true)...)
			complete := [2]bool{one["tool_correctness.complete"] == true, other["tool_correctness.complete"] == true}
			assert.NotEqual(t, [2]bool{}, complete, "no verdict is complete, so the play shows nothing")
			if complete == [2]bool{true, true} {
				for _, key := range []string{"tool_correctness.status", "tool_correctness.passed", "tool_correctness.score"} {
					assert.Equal(t, one[key], other[key], key)
				}
			}
		})
	}
}

func scoredInOrder(s *Settings) {
	o := scoring.DefaultNative()
	o.Order = scoring.InOrder
	s.Metrics[0].Method, _ = scoring.NewNative(o) // the options are ours
}

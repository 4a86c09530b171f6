package processor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// ignoreFailed forbids bad, and leaves out calls that failed.
func ignoreFailed(s *Settings) {
	forbidBad(s)
	s.IgnoreFailed = true
}

// inOrder expects two tools in this order.
func inOrder(first, second string) func(*Settings) {
	return func(s *Settings) {
		options := scoring.DefaultNative()
		options.Order = scoring.InOrder
		native, err := scoring.NewNative(options)
		if err != nil {
			panic(err) // the options are ours
		}
		x, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: first}, {Name: second}}})
		if err != nil {
			panic(err) // the expectation is ours
		}
		s.Metrics[0].Method = native
		s.Expectations = []evaluate.Expectation{{Name: "0", Expected: x, Metrics: s.Metrics}}
	}
}

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

// A stage is a play of spans. It begins now, in seconds since 1970.
type stage struct {
	*rig
	now int
}

func (s stage) victim(all ...span) { _ = s.send(all...) }

// forbidBad lets a run fail only because of the tool bad.
func forbidBad(s *Settings) { forbid(s, scoring.Tool{Name: "bad"}) }

func forbid(s *Settings, tools ...scoring.Tool) {
	x, err := scoring.NewExpectation(scoring.ExpectationSettings{Forbidden: tools})
	if err != nil {
		panic(err) // the expectation is ours
	}
	s.Expectations = []evaluate.Expectation{{Name: "0", Expected: x, Metrics: s.Metrics}}
}

// inTurn sends one group of spans and then the other, or the other way round.
func (s stage) inTurn(reverse bool, a, b []span) {
	if reverse {
		a, b = b, a
	}
	s.victim(a...)
	s.victim(b...)
}

const (
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

// twinActs are plays in two variants: spans arrive in another order, or a model writes something else that is no call. Both
// variants have the same calls.
var twinActs = []struct {
	name   string
	change func(*Settings)
	runs   []string
	play   func(s stage, other bool)
}{
	{"a model uses the ID of a parallel call again", inOrder("approve", "pay"), []string{"A"}, func(s stage, other bool) {
		n, id := s.now, idOr(other, anotherID)
		s.victim(agent("A", "", n, n+20),
			model("m", "A", n+1, n+2, nil, "log "+oneID, "pay "+anotherID),
			tool("l", "A", n+3, n+4, "log").with("gen_ai.tool.call.id", oneID),
			tool("p", "A", n+3, n+4, "pay").with("gen_ai.tool.call.id", anotherID),
			model("m2", "A", n+5, n+6, []string{oneID, anotherID}, "approve "+id),
			tool("q", "A", n+7, n+8, "approve").with("gen_ai.tool.call.id", id))
	}},
	{"a later loop uses an ID again", forbidBad, []string{"R"}, func(s stage, other bool) {
		n, id := s.now, idOr(other, oneID)
		s.victim(plain("R", "", n, n+9),
			model("m", "R", n+1, n+2, nil, "search "+oneID), model("m2", "R", n+3, n+4, []string{oneID}),
			model("o", "R", n+5, n+6, nil, "bad "+id), model("o2", "R", n+7, n+8, []string{id}))
	}},
	{"an earlier loop whose parent is lost", forbidBad, []string{"m"}, func(s stage, other bool) {
		if other {
			s.victim(model("o", "lost", s.now-2, s.now-1, nil, "search "+anotherID))
		}
		s.victim(model("m", "", s.now, s.now+1, nil, "bad "+oneID))
	}},
	{"two results of a call at one time", ignoreFailed, []string{"A"}, func(s stage, other bool) {
		n := s.now
		s.inTurn(other, []span{chat("m2", "A", n+5, n+6, shownResult(anotherID, true))}, []span{chat("m3", "A", n+5, n+6, shownResult(anotherID, false))})
		s.victim(agent("A", "", n, n+20), tool("p", "A", n+3, n+4, "bad").with("gen_ai.tool.call.id", anotherID))
	}},
	{"a model uses the ID of a call that failed again", ignoreFailed, []string{"A"}, func(s stage, other bool) {
		n, id := s.now, idOr(other, oneID)
		s.victim(agent("A", "", n, n+20),
			chat("m", "A", n+1, n+2, `[{"role":"user","parts":[]}]`, "search "+oneID),
			tool("p", "A", n+3, n+4, "search").with("gen_ai.tool.call.id", oneID),
			chat("m2", "A", n+5, n+6, shownResult(oneID, true), "bad "+id),
			tool("q", "A", n+7, n+8, "bad").with("gen_ai.tool.call.id", id),
			chat("m3", "A", n+9, n+10, shownResult(id, false)))
	}},
	{"a user's content that has a role", forbidBad, []string{"R"}, func(s stage, other bool) {
		n, role := s.now, "x"
		if other {
			role = "assistant"
		}
		s.victim(plain("R", "", n, n+9),
			chat("m", "R", n+1, n+2, `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`, "search "+oneID),
			chat("o", "R", n+5, n+6, `[{"role":"user","parts":[{"type":"data","content":{"role":"`+role+`"}}]}]`, "bad "+anotherID))
	}},
	{"a model asks for many calls in the order in which they end", func(s *Settings) {
		forbid(s, scoring.Tool{Name: "pay", Arguments: scoring.JSON(`{"n":39}`)})
		s.IgnoreFailed, s.Run.KeepArguments, s.Run.Sources = true, true, runs.Messages
	}, []string{"A"}, func(s stage, other bool) {
		m, all := model("m", "A", s.now+1, s.now+2, nil), []span{agent("A", "", s.now, s.now+90)}
		for i := range 40 {
			arguments, place := fmt.Sprintf(`{"n":%d}`, i), 39-i
			if other {
				place = i
			}
			asked := fmt.Sprint("llm.output_messages.0.message.tool_calls.", place, ".tool_call.")
			m = m.with(asked+"id", "call_0").with(asked+"function.name", "pay").with(asked+"function.arguments", arguments)
			c := tool(fmt.Sprint("c", i), "A", s.now+50-i, s.now+60, "pay").with("gen_ai.tool.call.arguments", arguments)
			if i == 39 {
				c = c.with("error.type", "timeout")
			}
			all = append(all, c)
		}
		s.victim(append(all, m)...)
	}},
	{"many tools that run agents", func(*Settings) {}, []string{"A"}, func(s stage, other bool) {
		step := func(id, parent string) span {
			return span{id: id, parent: parent, start: s.now + 2, end: s.now + 3, name: "agent.toolCalling", scope: "@arizeai/openinference-instrumentation-beeai",
				attributes: map[string]any{"openinference.span.kind": "AGENT"}}
		}
		all := []span{tool("last", "A", s.now+1, s.now+8, "ask")}
		for i := range 200 {
			id := fmt.Sprint("t", i)
			if all = append(all, tool(id, "A", s.now+1, s.now+8, "ask")); other {
				all = append(all, step("s"+id, id))
			}
		}
		s.victim(append(all, step("s", "last"), tool("x", "last", s.now+4, s.now+5, "search"), agent("A", "", s.now, s.now+9))...)
	}},
	{"a failed MCP span in the time of two calls", ignoreFailed, []string{"A", "B"}, func(s stage, other bool) {
		n := s.now
		a := []span{tool("c", "A", n+2, n+6, "bad").in(1), agent("A", "", n, n+9).in(1)}
		b := []span{tool("d", "B", n+3, n+7, "bad").in(2), agent("B", "", n, n+9).in(2)}
		s.victim(protocol("p", "session", n+4, n+5, "bad").with("error.type", "tool_error").in(3))
		if other {
			a, b = b, a
		}
		s.victim(a...)
		time.Sleep(3 * time.Second)
		s.victim(b...)
	}},
}

// BeeAI's spans have a tool's name in camel case. A forbidden tool is not missed because no request has its name.
func TestNormalizedNamesHideNoForbiddenTool(t *testing.T) {
	for _, tc := range []struct{ forbidden, want, reason string }{
		{"delete_account", "not_evaluable", "the tool may have this name"},
		{"delete_*", "not_evaluable", "a pattern has separators, too"},
		{"delete_accounts", "scored", "it is another tool"},
		{"deleteAccount", "scored", "the call is forbidden"},
		{"deleteAccount delete_account", "scored", "the call is forbidden, whatever else it may be"},
	} {
		withFakeClock(t, func(s *Settings, _ *sink) {
			var tools []scoring.Tool
			for name := range strings.FieldsSeq(tc.forbidden) {
				tools = append(tools, scoring.Tool{Name: name})
			}
			forbid(s, tools...)
		}, func(t *testing.T, r *rig) {
			const scope = "@arizeai/openinference-instrumentation-beeai"
			time.Sleep(100 * time.Second)
			n := int(time.Now().Unix())
			beeAI := func(id string, at int, path string) span {
				return span{id: id, parent: "A", start: at, end: at, name: path, scope: scope, attributes: map[string]any{"openinference.span.kind": "TOOL", "target": path}}
			}
			stage{r, n}.victim(beeAI("x", n+3, "tool.dynamic.deleteAccount.start"), beeAI("y", n+4, "tool.dynamic.deleteAccount.success"),
				span{id: "A", start: n, end: n + 9, name: "beeai-framework-main", scope: scope, attributes: map[string]any{"openinference.span.kind": "AGENT", "source": "ReAct"}})
			time.Sleep(2 * time.Minute)
			assert.Equal(t, tc.want, r.verdict("A")["tool_correctness.status"], tc.reason)
		})
	}
}

// What a model writes, and the order of arrival, change no verdict that stays complete.
func TestTwinsHaveOneCompleteVerdict(t *testing.T) {
	for _, act := range twinActs {
		t.Run(act.name, func(t *testing.T) {
			var verdicts [2]map[string]map[string]any
			for i := range verdicts {
				withFakeClock(t, func(s *Settings, _ *sink) { act.change(s) }, func(t *testing.T, r *rig) {
					time.Sleep(100 * time.Second)
					act.play(stage{r, int(time.Now().Unix())}, i == 1)
					time.Sleep(4 * time.Minute)
					verdicts[i] = map[string]map[string]any{}
					for _, id := range act.runs {
						verdicts[i][id] = r.verdict(id)
					}
				})
			}
			complete := 0
			for _, id := range act.runs {
				one, other := verdicts[0][id], verdicts[1][id]
				if one["tool_correctness.complete"] == true {
					complete++
				}
				if one["tool_correctness.complete"] != true || other["tool_correctness.complete"] != true {
					continue
				}
				for _, key := range []string{"tool_correctness.status", "tool_correctness.passed", "tool_correctness.score"} {
					assert.Equal(t, one[key], other[key], "%s of %s", key, id)
				}
			}
			assert.NotZero(t, complete, "no verdict is complete, so the play shows nothing")
		})
	}
}

package scoring

import (
	"slices"
	"strings"
	"testing"
)

// The memory of one verdict must not change the next, which may reuse it.
func TestNativeAfterNameDiff(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("1")}}, MaxCalls: new(2)})
	n := native(t, func(o *NativeOptions) { o.Arguments, o.Repeats = ArgumentsExact, CollapseRepeats })
	wrong := []Call{{Name: "a", Arguments: JSON("2")}}
	for range 100 {
		NameDiff(e, called("a b c"))
		n.Judge(e, called("x y z"))
		if v := n.Judge(e, wrong); v.Score != 0 {
			t.Fatalf("score %v of wrong arguments", v.Score)
		}
		if v := n.Judge(e, called("a")); v.Status != NotEvaluable {
			t.Fatalf("%v without arguments", v.Status)
		}
	}
}

func TestNativeLimits(t *testing.T) {
	many := func(n int) []Call { return slices.Repeat(called("a"), n) }
	list := func(n int) []Tool { return slices.Repeat(tools("a"), n) }
	for _, tc := range []struct {
		name   string
		order  Order
		tools  []Tool
		calls  []Call
		status Status
		reason string
	}{
		{"names in order", InOrder, list(1_025), many(1_025), NotEvaluable, "more than 2 to the power of 20 cells"},
		{"names in order, just fitting", InOrder, list(1_024), many(1_024), Scored, "as many"},
		{"with an optional tool", InOrder, append(list(1_024), Tool{Name: "a", Optional: true}), many(1_024), NotEvaluable, "it has cells, too"},
		{"exact", ExactOrder, list(9_000), many(9_000), Scored, "each position is looked at once"},
		{"exact and of another length", ExactOrder, list(9_000), many(9_001), Scored, "0 is certain without an alignment"},
		{"any number in order", InOrder, []Tool{{Name: "a", Count: Count{1, Unlimited}}}, many(10_000), Scored, "one row takes them all"},
		{"any order", AnyOrder, list(50_000), many(10_000), Scored, "the expected tools are one"},
		{"any order, different names", AnyOrder, toolsOf(numbered("%d", 9_000)), many(9_000), Scored, "a call is compared with the tools of its name"},
		{"too many calls", AnyOrder, list(1), many(10_001), NotEvaluable, "at most 10,000 calls are scored"},
	} {
		v := native(t, func(o *NativeOptions) { o.Order = tc.order }).Judge(expectation(t, ExpectationSettings{Tools: tc.tools}), tc.calls)
		if v.Status != tc.status {
			t.Errorf("%s: %v %q, want %v: %s", tc.name, v.Status, v.Why, tc.status, tc.reason)
		}
		checkJudged(t, v)
	}
}

// Rows with bytes that YAML cannot have, or with too many lines for it.
func TestHostileRows(t *testing.T) {
	type s = ExpectationSettings
	odd, deep := JSON("{\"k\\u0001\\\"\\\\\":\"\xff\\n\"}"), strings.Repeat("[", 1001)+strings.Repeat("]", 1001)
	to, paid := Tool{Name: "send", Arguments: JSON(`{"to":"mallory"}`)}, Tool{Name: "order", Output: JSON(`{"paid":true}`)}
	for _, r := range []row{
		{Name: "odd texts", Reason: "they are compared byte by byte", Says: new("Passed: the expected call was made."), Calls: []Call{{Name: "a", Arguments: odd}},
			ExpectationSettings: s{Tools: []Tool{{Name: "a", Arguments: odd, Match: ArgumentsExact, IgnoreArguments: []string{"id"}}}}},
		{Name: "hostile names", Reason: "one line, valid, nothing hidden", Says: new(`Failed: missing a\xff. 0 of 1 expected calls matched; not expected: x\ny\u202e\x00, "".`),
			ExpectationSettings: s{Tools: tools("a\xff")}, Calls: []Call{{Name: "x\ny\u202e\x00"}, {}}},
		{Name: "deep arguments", Reason: "depth is size", Status: new(NotEvaluable), Why: new(`arguments of "send" were too large to be compared`),
			ExpectationSettings: s{Tools: tools("send"), Forbidden: []Tool{to}}, Calls: []Call{{Name: "send", Arguments: JSON(`{"to":"mallory","x":` + deep + `}`)}}},
		{Name: "a deep output", Reason: "the decoder has a bound", Status: new(NotEvaluable), Why: new(`output of "order" was no JSON`),
			ExpectationSettings: s{Tools: tools("ord*"), Forbidden: []Tool{paid}}, Calls: []Call{{Name: "order", Output: JSON(`{"paid":true,"x":` + deep + `}`)}}},
		{Name: "10,001 calls", Reason: "there is a limit", Status: new(NotEvaluable), Why: new("the run has more than 10000 calls"),
			ExpectationSettings: s{Tools: tools("a")}, Calls: make([]Call, maxCalls+1)},
		{Name: "too many expected calls", Reason: "there is a limit", Refused: "tools: asks for 51000 calls, more than 50000",
			ExpectationSettings: s{Tools: slices.Repeat([]Tool{{Name: "a", Count: Count{1000, 1000}}}, 51)}},
		{Name: "too many turns", Reason: "there is a limit", Refused: "turns: are 1001, more than 1000",
			ExpectationSettings: s{Turns: slices.Repeat([]ExpectationSettings{{Tools: tools("a")}}, maxTurns+1)}},
	} {
		t.Run(r.Name, r.check)
	}
}

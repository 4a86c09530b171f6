package scoring

import (
	"strings"
	"testing"
)

// A textCondition is a condition in a language of the tests. Its words are the indices of the calls on which it holds. "fail"
// fails on every call, "arguments" and "output" read a payload, "anchor" and "long" cannot be evaluated.
type textCondition string

func (c textCondition) String() string { return string(c) }

func (c textCondition) Reads() (arguments, output bool) {
	return strings.Contains(string(c), "arguments"), strings.Contains(string(c), "output")
}

// textConditions evaluates textConditions on calls.
type textConditions struct {
	calls []Call
	asked map[string]int
}

func (e *textConditions) Sides(Condition, int) string { return "" }

func (e *textConditions) Evaluate(c Condition, call int) ConditionResult {
	e.asked[c.String()]++
	for word := range strings.FieldsSeq(c.String()) {
		switch {
		case word == "fail":
			return ConditionFailed
		case word == "anchor":
			return ConditionNoAnchor
		case word == "long":
			return ConditionTooLong
		case word == "arguments" && !e.calls[call].Arguments.Captured():
			return ConditionNoArguments
		case word == "output" && !e.calls[call].Output.Captured():
			return ConditionNoOutput
		case len(word) == 1 && int(word[0]-'0') == call:
			return ConditionMet
		}
	}
	return ConditionUnmet
}

func judgeWhere(t *testing.T, m *Native, s ExpectationSettings, calls []Call) Verdict {
	t.Helper()
	return m.Judge(expectation(t, s).With(&textConditions{calls, map[string]int{}}), calls)
}

// A condition that does not hold changes the score, and the reason mentions it.
func TestWhere(t *testing.T) {
	type s = ExpectationSettings
	where := func(name, condition string) Tool { return Tool{Name: name, Where: textCondition(condition)} }
	subset := func(o *NativeOptions) { o.Arguments = ArgumentsSubset }
	checkSaid(t, []said{
		{"it holds", nil, s{Tools: []Tool{where("a", "0")}}, called("a"), "Passed: the expected call was made.", "as without one"},
		{"it does not hold", nil, s{Tools: []Tool{where("a", "9")}}, called("a"),
			"Failed: condition not met: a (needs 9). 0 of 1 expected calls matched.", "the call is named, and why it does not count"},
		{"it holds on another call", nil, s{Tools: []Tool{where("a", "1")}}, called("a a"),
			"Passed: the expected call was made; not expected: a.", "the call on which it holds is the pair"},
		{"it fails", nil, s{Tools: []Tool{where("a", "fail"), {Name: "b"}}}, called("a b"),
			"Passed: 1 of 2 expected calls matched; condition not met: a (needs fail); the condition of a could not be evaluated on 1 call.", "that is said"},
		{"it fails on many calls", nil, s{Tools: []Tool{where("a", "fail")}}, called("a a a"),
			"Failed: condition not met: a (needs fail); the condition of a could not be evaluated on 3 calls. 0 of 1 expected calls matched; not expected: a (2 times).", "with their number"},
		{"arguments first", subset, s{Tools: []Tool{{Name: "a", Arguments: JSON(`{"x":1}`), Where: textCondition("9")}}}, []Call{{Name: "a", Arguments: JSON(`{"x":2}`)}},
			"Failed: wrong arguments: a (x). 0 of 1 expected calls matched.", "what differs is easier to mend than a condition"},
		{"right arguments", subset, s{Tools: []Tool{{Name: "a", Arguments: JSON(`{"x":1}`), Where: textCondition("9")}}}, []Call{{Name: "a", Arguments: JSON(`{"x":1}`)}},
			"Failed: condition not met: a (needs 9). 0 of 1 expected calls matched.", "only the condition is in the way"},
		{"a forbidden call", nil, s{Forbidden: []Tool{where("rm", "1")}}, called("rm rm"),
			"Failed: a forbidden call was made: rm, so the score is 0. No calls were expected; not expected: rm.", "the second only"},
		{"no forbidden call", nil, s{Tools: tools("rm"), Forbidden: []Tool{where("rm", "9")}}, called("rm"),
			"Passed: the expected call was made.", "it is forbidden under a condition only"},
		{"a forbidden tool whose condition fails", nil, s{Tools: tools("rm"), Forbidden: []Tool{where("rm", "fail")}}, called("rm"),
			`Not scored: the condition of the forbidden "rm" could not be evaluated on a call.`, "the call may be the forbidden one"},
		{"a forbidden tool whose condition fails, and 0 all the same", nil, s{Tools: tools("a"), Forbidden: []Tool{where("rm", "fail")}}, called("rm"),
			"Failed: missing a; the condition of rm could not be evaluated on 1 call. 0 of 1 expected calls matched; not expected: rm.", "it cannot change the score"},
		{"a glob", nil, s{Tools: []Tool{where("get_*", "1")}}, called("get_a get_b"), "Passed: the expected call was made; not expected: get_a.", "any name, and the condition"},
		{"alternatives", nil, s{Tools: []Tool{{Names: []string{"a", "b"}, Where: textCondition("1")}}}, called("a b"), "Passed: the expected call was made; not expected: a.", "likewise"},
		{"a count", nil, s{Tools: []Tool{{Name: "a", Count: Count{2, Unlimited}, Where: textCondition("0 2")}}}, called("a a a"),
			"Passed: 2 of 2 expected calls were made; not expected: a.", "calls on which it holds count"},
		{"optional", func(o *NativeOptions) { o.ExtraCalls = ForbidExtraCalls }, s{Tools: []Tool{{Name: "a", Optional: true, Where: textCondition("0")}}}, called("a a"),
			"Failed: not expected: a; no other calls are allowed, so the score is 0. No calls were expected.", "only the first may be called"},
		{"several lists", nil, s{AnyOf: [][]Tool{{where("a", "9"), {Name: "b"}}, {where("a", "0")}}}, called("a"), "Passed: the expected call was made.", "the list that fits"},
		{"in order", func(o *NativeOptions) { o.Order = InOrder }, s{Tools: []Tool{where("a", "1"), {Name: "b"}}}, called("a a b"),
			"Passed: both expected calls were made in order; not expected: a.", "the second a is the pair"},
		{"exact order", func(o *NativeOptions) { o.Order = ExactOrder }, s{Tools: []Tool{where("a", "9"), {Name: "b"}}}, called("a b"),
			"Passed: 1 of 2 expected calls matched; condition not met: a (needs 9).", "the place is right"},
		{"collapsed repeats", func(o *NativeOptions) { o.Repeats = CollapseRepeats }, s{Tools: []Tool{where("b", "2")}}, called("a a b"),
			"Passed: the expected call was made; not expected: a.", "an index is that of the run"},
		{"arguments that were not captured", nil, s{Tools: []Tool{where("a", "arguments")}}, called("a"),
			`Not scored: arguments of "a" were not captured.`, "whether it holds is not known"},
		{"an output that was not captured", nil, s{Tools: []Tool{where("a", "output")}}, called("a"), `Not scored: output of "a" was not captured.`, "likewise"},
		{"a forbidden call whose arguments were not captured", nil, s{Tools: tools("a"), Forbidden: []Tool{where("a", "arguments")}}, called("a"),
			`Not scored: arguments of "a" were not captured.`, "likewise"},
		{"not captured, and 0 all the same", nil, s{Tools: []Tool{where("a", "arguments")}, Forbidden: tools("rm")}, called("a rm"),
			"Failed: a forbidden call was made: rm, so the score is 0. The expected call was made.", "it cannot change the score"},
		{"no anchor", nil, s{Tools: []Tool{where("a", "anchor")}}, called("a"),
			`Not scored: the condition of "a" reads the span of the run, which did not arrive.`, "its attributes are not known"},
		{"too much to read", nil, s{Tools: []Tool{where("a", "long")}}, called("a"),
			"Not scored: the conditions of the expected tools would read too much of this run.", "the work is bounded"},
		{"the name is missing", nil, s{Tools: []Tool{where("a", "arguments")}}, called("b"), "Failed: missing a. 0 of 1 expected calls matched; not expected: b.", "no condition is asked"},
	})
}

// A run is not scored if its conditions are not evaluated.
func TestWhereWithoutConditions(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Where: textCondition("0")}}})
	if got, want := native(t, nil).Judge(e, called("a")).Status, NotEvaluable; got != want {
		t.Errorf("status %v, want %v", got, want)
	}
	if arguments, output := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Where: textCondition("arguments")}}}).Compares(); !arguments || output {
		t.Errorf("the payloads that are read: arguments %v, output %v", arguments, output)
	}
	if arguments, output := expectation(t, ExpectationSettings{Forbidden: []Tool{{Name: "a", Where: textCondition("output")}}}).Compares(); arguments || !output {
		t.Errorf("the payloads that are read: arguments %v, output %v", arguments, output)
	}
}

// Tools with the same name and the same condition are one class, so the condition is evaluated once for each call.
func TestWhereIsAskedOnce(t *testing.T) {
	tool := Tool{Name: "a", Where: textCondition("0 1 2")}
	e := expectation(t, ExpectationSettings{Tools: []Tool{tool, tool, tool}})
	calls := called("a a a b")
	asked := &textConditions{calls, map[string]int{}}
	if v := native(t, nil).Judge(e.With(asked), calls); v.Score != 1 || asked.asked["0 1 2"] != 3 {
		t.Errorf("score %v, asked %v times, want 1 and 3", v.Score, asked.asked)
	}
}

// FuzzWhere: a condition that holds everywhere changes no score, and one that holds on fewer calls never raises recall.
func FuzzWhere(f *testing.F) {
	f.Add([]byte("abcabc"), []byte("cab"), uint8(3), uint8(0))
	f.Add([]byte("aaab"), []byte("aabb"), uint8(0), uint8(1))
	f.Fuzz(func(t *testing.T, wanted, made []byte, held, order uint8) {
		wanted, made = wanted[:min(len(wanted), 6)], made[:min(len(made), 8)]
		o := DefaultNative()
		o.Order = Order(order % 2)
		m, err := NewNative(o)
		if err != nil {
			t.Fatal(err)
		}
		plain, all, some := []Tool{}, []Tool{}, []Tool{}
		words := []string{"x"}
		for i := range 8 {
			if held>>i&1 == 1 {
				words = append(words, string(rune('0'+i)))
			}
		}
		for _, b := range wanted {
			name := string(rune('a' + b%3))
			plain = append(plain, Tool{Name: name})
			all = append(all, Tool{Name: name, Where: textCondition("0 1 2 3 4 5 6 7")})
			some = append(some, Tool{Name: name, Where: textCondition(strings.Join(words, " "))})
		}
		var calls []Call
		for _, b := range made {
			calls = append(calls, Call{Name: string(rune('a' + b%3))})
		}
		want := m.Judge(expectation(t, ExpectationSettings{Tools: plain}), calls)
		if got := judgeWhere(t, m, ExpectationSettings{Tools: all}, calls); got.Score != want.Score {
			t.Errorf("a condition that always holds moved the score from %v to %v", want.Score, got.Score)
		}
		got := judgeWhere(t, m, ExpectationSettings{Tools: some}, calls)
		if got.Score > want.Score {
			t.Errorf("a condition raised the score from %v to %v", want.Score, got.Score)
		}
		checkJudged(t, got)
	})
}

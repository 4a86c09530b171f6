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

// A run is not scored if its conditions are not evaluated.
func TestWhereWithoutConditions(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Where: textCondition("0")}}})
	if got, want := native(t, nil).Judge(e, called("a")).Status, NotEvaluable; got != want {
		t.Errorf("status %v, want %v", got, want)
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

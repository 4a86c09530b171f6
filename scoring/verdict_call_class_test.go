package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ofCalls returns the match of each call, in order. It is empty if the run is not scored.
func ofCalls(v Verdict) []Match {
	said := slices.DeleteFunc(v.Matches(), func(m Match) bool { return m.Called < 0 })
	slices.SortFunc(said, func(a, b Match) int { return cmp.Compare(a.Called, b.Called) })
	return said
}

// checkClasses: the classes of calls agree with the pairs and the reason.
func checkClasses(t *testing.T, v Verdict) {
	t.Helper()
	said := ofCalls(v)
	if v.Status != Scored {
		if said != nil {
			t.Errorf("status %v, and %d calls have a verdict", v.Status, len(said))
		}
		return
	}
	if len(said) != len(v.Alignment.Called) {
		t.Fatalf("%d verdicts on %d calls", len(said), len(v.Alignment.Called))
	}
	count := map[CallClass]int{}
	for j, c := range said {
		count[c.Class]++
		if slices.Contains(v.Alignment.Forbidden, j) != (c.Class == CallForbidden) {
			t.Errorf("call %d is %v, and forbidden are %v", j, c.Class, v.Alignment.Forbidden)
		}
		if paired := c.Class == CallMatched || c.Class == CallPartlyMatched; paired != (c.Credit > 0) || (c.Class == CallMatched) != (c.Credit >= 1) {
			t.Errorf("call %d is %v with a credit of %v", j, c.Class, c.Credit)
		}
	}
	if v.Alignment.Guessed {
		if count[CallForbidden]+count[CallUncertain] != len(said) {
			t.Errorf("pairs are a guess, and more is said than what is forbidden: %v", count)
		}
		return
	}
	for _, p := range v.Alignment.Pairs {
		if got := said[p.Called]; got.Credit != p.Credit {
			t.Errorf("call %d has a credit of %v, and %v in its pair", p.Called, got.Credit, p.Credit)
		}
	}
	found := map[FindingKind]int{}
	for _, f := range v.Findings() {
		found[f.Kind] += f.Count
	}
	wrong := found[WrongArguments] + found[WrongOutput] + found[WrongType] + found[UnmetCondition]
	got := [...]int{
		count[CallForbidden], count[CallPartlyMatched] + count[CallMismatched], count[CallOutOfOrder],
		count[CallRepeated] - len(v.Alignment.Repeats), count[CallUnexpected],
	}
	if want := [...]int{found[ForbiddenCall], wrong, found[OutOfOrder], found[RepeatedCall], found[OverLimit] + found[UnauthorisedCall] + found[UnexpectedCall]}; got != want {
		t.Errorf("forbidden, wrong, out of order, repeated and unexpected calls: %v, and %v by the reason %q", got, want, v.Reason(ReasonOptions{}))
	}
}

// sayClasses returns the classes of the calls in a line: "matched 1, unexpected".
func sayClasses(v Verdict) string {
	var said []string
	for _, c := range ofCalls(v) {
		text := c.Class.String()
		if c.Credit > 0 {
			text += fmt.Sprintf(" %.3g", c.Credit)
		}
		said = append(said, text)
	}
	return strings.Join(said, ", ")
}

// A call at its expected position is not out of order, even beyond the calls that are compared in detail. The reason and the matches agree.
func TestCallClassesOfManyWrongCalls(t *testing.T) {
	for _, tc := range []struct {
		mode   ArgumentMode
		called string
		want   CallClass
	}{
		{ArgumentsExact, `{"x":2}`, CallMismatched},
		{ArgumentsPartial, `{"x":1}`, CallPartlyMatched},
	} {
		m := native(t, func(o *NativeOptions) { o.Arguments, o.Order = tc.mode, InOrder })
		var expected []Tool
		var calls []Call
		for i := range maxDetails + 6 {
			name := fmt.Sprint("p", i)
			expected = append(expected, Tool{Name: name, Arguments: JSON(`{"x":1,"y":1}`)})
			calls = append(calls, Call{Name: name, Arguments: JSON(tc.called)})
		}
		expected = append(expected, Tool{Name: "z", Arguments: JSON(`{"x":1}`)})
		calls = append(calls, Call{Name: "z", Arguments: JSON(`{"x":2}`)}, Call{Name: "z", Arguments: JSON(`{"x":3}`)})
		v := m.Judge(expectation(t, ExpectationSettings{Tools: expected}), calls)
		checkClasses(t, v)
		checkMatches(t, v)
		said := ofCalls(v)
		for j, c := range said[:maxDetails+6] {
			if c.Class != tc.want {
				t.Errorf("call %d is %v, want %v", j, c.Class, tc.want)
			}
		}
		// Beyond the detailed calls, the reason says that a call at another position is out of order. The class agrees.
		checkClasses(t, m.Judge(expectation(t, ExpectationSettings{Tools: expected}), slices.Insert(slices.Clone(calls), maxDetails+6, Call{Name: "q"})))
		if said[maxDetails+6].Class != CallMismatched || said[maxDetails+7].Class != CallUnexpected {
			t.Errorf("the last two are %v and %v", said[maxDetails+6].Class, said[maxDetails+7].Class)
		}
	}
}

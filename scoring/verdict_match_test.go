package scoring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checkMatches checks the laws of Matches.
func checkMatches(t *testing.T, v Verdict) {
	t.Helper()
	matches, said := v.Matches(), v.OfCalls()
	expected, called := make([]int, len(v.Alignment.Expected)), make([]int, len(said))
	for _, m := range matches {
		if m.Expected >= 0 {
			expected[m.Expected]++
		}
		if m.Called < 0 {
			continue
		}
		called[m.Called]++
		if got := (CallVerdict{m.Class, m.Credit}); got != said[m.Called] {
			t.Errorf("call %d is %v in its match, and %v", m.Called, got, said[m.Called])
		}
	}
	for _, n := range slices.Concat(expected, called) {
		if v.Status == Scored && n != 1 {
			t.Errorf("an expected tool or a call stands in %d matches: %v", n, matches)
		}
	}
	if v.Status != Scored && matches != nil {
		t.Errorf("a run without a score has matches: %v", matches)
	}
}

func FuzzMatches(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		if d.chance(3) {
			o.ExtraCalls = ForbidExtraCalls
		}
		settings := ExpectationSettings{Tools: d.tools(6, features{true, true, true, true}), Forbidden: d.tools(1, features{})}
		e, err := NewExpectation(settings)
		if err != nil { // a tool is expected and forbidden
			settings.Forbidden = nil
			e, err = NewExpectation(settings)
		}
		if err != nil {
			t.Fatalf("random tools are refused: %v", err)
		}
		checkMatches(t, judge(t, o, e, d.calls(8)))
	})
}

func TestMatches(t *testing.T) {
	arguments := func(tool, text string) Tool { return Tool{Name: tool, Arguments: JSON(text)} }
	call := func(tool, text string) Call { return Call{Name: tool, Arguments: JSON(text)} }
	exact := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsExact })
	for _, tc := range []struct {
		name     string
		expected ExpectationSettings
		called   []Call
		want     string
		reason   string
	}{
		{"taken", ExpectationSettings{Tools: tools("a b")}, called("b a"), "0-1 matched, 1-0 matched", "any order"},
		{"missing", ExpectationSettings{Tools: tools("a b")}, called("a"), "0-0 matched, 1- unexpected", "b was not called"},
		{"left over", ExpectationSettings{Tools: tools("a")}, called("a c"), "0-0 matched, -1 unexpected", "no expected tool matches c"},
		{"forbidden", ExpectationSettings{Tools: tools("a"), Forbidden: tools("rm")}, called("rm a"), "0-1 matched, -0 forbidden", "rm must not be"},
		{"other arguments", ExpectationSettings{Tools: []Tool{arguments("a", `{"x":1}`)}}, []Call{call("a", `{"x":2}`)},
			"0-0 mismatched x", "the call that was meant stands beside what was expected"},
		{"no score", ExpectationSettings{Tools: []Tool{arguments("a", `{"x":1}`)}}, called("a"), "", "arguments were not captured"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := exact.Judge(expectation(t, tc.expected), tc.called)
			checkMatches(t, v)
			if got := matchText(v.Matches()); got != tc.want {
				t.Errorf("got %s, want %s: %s", got, tc.want, tc.reason)
			}
		})
	}
}

func matchText(matches []Match) string {
	var text strings.Builder
	index := func(i int) string {
		if i < 0 {
			return ""
		}
		return strconv.Itoa(i)
	}
	for i, m := range matches {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(index(m.Expected) + "-" + index(m.Called) + " " + m.Class.String())
		for _, d := range m.Differences {
			text.WriteString(" " + d.Path)
		}
	}
	return text.String()
}

// A rule stands at the call that breaks it.
func TestMatchesSayWhichRuleACallBreaks(t *testing.T) {
	two, tool := 2, Tool{Name: "a", Count: Count{Min: 1, Max: 2}}
	for _, tc := range []struct {
		settings ExpectationSettings
		called   string
		want     map[int]string
		reason   string
	}{
		{ExpectationSettings{Tools: []Tool{}, MaxCalls: &two}, "a b c d", map[int]string{2: "4 calls were made, at most 2 are allowed"}, "the third call is the first too many"},
		{ExpectationSettings{Tools: []Tool{}, MaxCallsOf: []CallLimit{{"a", 1}}}, "a b a a", map[int]string{2: "3 calls of a, at most 1 is allowed"}, "the second of its name"},
		{ExpectationSettings{Tools: []Tool{}, MaxRepeats: 1}, "b a a", map[int]string{2: "2 identical calls of a, at most 1 is allowed"}, "the one that is the same"},
		{ExpectationSettings{Tools: []Tool{tool}}, "a a a", map[int]string{2: "at most 2"}, "the count of a tool"},
		{ExpectationSettings{Tools: []Tool{{Name: "b", After: []string{"a"}}}}, "b a", map[int]string{0: "must come after a"}, "it came too early"},
		{ExpectationSettings{Tools: []Tool{{Name: "a"}}, Allowed: []string{"b"}}, "a b c", map[int]string{2: "not allowed"}, "neither expected nor allowed"},
		{ExpectationSettings{Tools: []Tool{{Name: "a"}}}, "a b", map[int]string{}, "no rule forbids more"},
	} {
		var calls []Call
		for name := range strings.FieldsSeq(tc.called) {
			calls = append(calls, Call{Name: name, Arguments: JSON("{}")})
		}
		e, err := NewExpectation(tc.settings)
		if err != nil {
			t.Fatal(err)
		}
		got := map[int]string{}
		for _, m := range judge(t, DefaultNative(), e, calls).Matches() {
			if faults := m.Faults(ReasonOptions{}); len(faults) > 0 {
				got[m.Called] = strings.Join(faults, "; ")
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%v is said, want %v: %s", got, tc.want, tc.reason)
		}
	}
}

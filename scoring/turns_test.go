package scoring

import (
	"slices"
	"strings"
	"testing"
)

// turnCalls are calls of turns: "search refund | | search" are two calls of the first turn and one of the third.
func turnCalls(text string) (calls []Call) {
	calls = []Call{}
	for i, turn := range strings.Split(text, "|") {
		for _, c := range called(turn) {
			c.Turn = int32(i)
			calls = append(calls, c)
		}
	}
	return calls
}

func expectedTurns(t *testing.T, text string, all bool) *Expectation {
	t.Helper()
	s := ExpectationSettings{AllTurns: all}
	for turn := range strings.SplitSeq(text, "|") {
		s.Turns = append(s.Turns, ExpectationSettings{Tools: tools(turn)})
	}
	return expectation(t, s)
}

func TestTurnsAreScoredEachByItself(t *testing.T) {
	native := native(t, func(o *NativeOptions) { o.Order, o.Score, o.Threshold = ExactOrder, AllOrNothing, 1 })
	for _, tc := range []struct {
		name, expected, called string
		mean, all              float64
		reason, why            string
	}{
		{"all as expected", "a b | | c", "a b | | c", 1, 1, "Passed: 3 of 3 turns passed.", "each list is that of its turn"},
		{"one of four failed", "a | b | c | d", "a | x | c | d", 0.75, 0,
			"Failed: 3 of 4 turns passed. Turn 2: missing b. 0 of 1 expected calls matched; not expected: x.", "the average"},
		{"a call in the turn before", "a | b", "a b | ", 0, 0, "Failed: 0 of 2 turns passed. Turn 1: 2 calls were made, exactly 1 is expected, so the score is 0. " +
			"The expected call was made; not expected: b. Turn 2: missing b. No calls were made, 1 was expected.", "turns are told by their order"},
		{"a turn too few", "a | b", "a", 0.5, 0, "Failed: 1 of 2 turns passed. Turn 2: missing b. No calls were made, 1 was expected.", "it has no calls"},
		{"a turn too many", "a", "a | b | c", 0.5, 0,
			"Failed: 1 of 2 turns passed. Turn 2: the turn was not expected, so the score is 0. No calls were expected; not expected: b, c.", "what follows is one turn that fails"},
		{"a quiet turn too many", "a", "a | | ", 1, 1, "Passed: 1 of 1 turns passed.", "it called nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := turnCalls(tc.called)
			mean, all := native.Judge(expectedTurns(t, tc.expected, false), calls), native.Judge(expectedTurns(t, tc.expected, true), calls)
			if mean.Score != tc.mean || all.Score != tc.all {
				t.Errorf("mean %v and all %v, want %v and %v: %s", mean.Score, all.Score, tc.mean, tc.all, tc.why)
			}
			if got := mean.Reason(ReasonOptions{}); got != tc.reason {
				t.Errorf("reason\n\t%s\nwant\n\t%s: %s", got, tc.reason, tc.why)
			}
			if n := len(mean.OfCalls()); n != len(calls) {
				t.Errorf("%d calls have a class, want %d", n, len(calls))
			}
			seen := map[int]bool{}
			for _, m := range mean.Matches() {
				if m.Expected >= 0 && m.Called >= 0 && mean.Alignment.Expected[m.Expected].Name != calls[m.Called].Name {
					t.Errorf("%s is matched with %s", mean.Alignment.Expected[m.Expected].Name, calls[m.Called].Name)
				}
				seen[m.Called] = true
			}
			for i := range calls {
				if !seen[i] {
					t.Errorf("call %d is in no match", i)
				}
			}
		})
	}
}

func TestATurnThatCannotBeScoredIsNamed(t *testing.T) {
	e := expectation(t, ExpectationSettings{Turns: []ExpectationSettings{{Tools: tools("a")}, {Tools: []Tool{{Name: "b", Arguments: JSON(`{"x": 1}`)}}}}})
	got := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsExact }).Judge(e, turnCalls("a | b"))
	if got.Status != NotEvaluable || !strings.HasPrefix(got.Why, "turn 2: ") || got.Score != 0 {
		t.Errorf("got %v, %v, %q", got.Status, got.Score, got.Why)
	}
}

func TestWhatTurnsForbidAndNameIsTheirs(t *testing.T) {
	native := native(t, nil)
	e := expectation(t, ExpectationSettings{Turns: []ExpectationSettings{{Tools: tools("search"), Forbidden: tools("refund")}, {Tools: tools("refund")}}})
	if got := native.Judge(e, turnCalls("search | refund")); got.Score != 1 || len(got.Alignment.Forbidden) != 0 {
		t.Errorf("score %v, forbidden %v: refund is forbidden in the first turn only", got.Score, got.Alignment.Forbidden)
	}
	got := native.Judge(e, turnCalls("search | search | "))
	missing, unexpected := NameDiff(e, turnCalls("search | search"))
	if got.Score != 0.5 || !slices.Equal(missing, []string{"refund"}) || !slices.Equal(unexpected, []string{"search"}) {
		t.Errorf("score %v, missing %v, unexpected %v", got.Score, missing, unexpected)
	}
	got = native.Judge(e, turnCalls("search refund | refund"))
	if got.Score != 0.5 || !slices.Equal(got.Alignment.Forbidden, []int{1}) {
		t.Errorf("score %v, forbidden %v", got.Score, got.Alignment.Forbidden)
	}
	if keys := e.NativeOnly(); !slices.Equal(keys, []string{"forbidden"}) {
		t.Errorf("native only: %v", keys)
	}
	if names := e.Names(); !slices.Equal(names, []string{"search", "refund"}) {
		t.Errorf("names: %v", names)
	}
}

func TestTurnsHaveTheRulesOfExpectations(t *testing.T) {
	turn := ExpectationSettings{Tools: []Tool{{Name: "a"}}}
	for _, tc := range []struct {
		settings ExpectationSettings
		want     string
	}{
		{ExpectationSettings{Turns: []ExpectationSettings{turn, {Tools: []Tool{{}}}}}, "turns[1].tools[0].name: must not be empty"},
		{ExpectationSettings{Turns: []ExpectationSettings{{Turns: []ExpectationSettings{turn}}}}, "turns[0].turns: must not be in a turn"},
		{ExpectationSettings{Turns: []ExpectationSettings{turn}, Tools: turn.Tools}, "turns: must not be combined with other keys"},
		{ExpectationSettings{Turns: slices.Repeat([]ExpectationSettings{turn}, maxTurns+1)}, "turns: are 1001, more than 1000"},
	} {
		if _, err := NewExpectation(tc.settings); err == nil || err.Error() != tc.want {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

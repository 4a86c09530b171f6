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

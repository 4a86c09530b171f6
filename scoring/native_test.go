package scoring

import (
	"math"
	"strings"
	"testing"
)

// tools returns tools with the names in "a b c" and nothing else.
func tools(names string) []Tool {
	list := []Tool{}
	for name := range strings.FieldsSeq(names) {
		list = append(list, Tool{Name: name})
	}
	return list
}

func called(names string) []Call {
	list := []Call{}
	for name := range strings.FieldsSeq(names) {
		list = append(list, Call{Name: name})
	}
	return list
}

func TestNativeNames(t *testing.T) {
	type o = NativeOptions
	for _, tc := range []struct {
		name             string
		options          NativeOptions
		expected, called string
		score            float64
		reason           string
	}{
		{"order is free", o{}, "a b", "b a", 1, "any order is the default"},
		{"an extra call costs nothing", o{}, "a", "a z", 1, "recall counts what was wanted"},
		{"a repeated tool is wanted twice", o{}, "a a", "a", 1. / 2, "each expected call wants its own"},
		{"a repeated call counts once for one tool", o{}, "a b", "a a", 1. / 2, "the second a is no b"},
		{"nothing asked, nothing missed", o{}, "", "", 1, "0 of 0 is a full score"},
		{"nothing asked, something called", o{}, "", "a", 1, "recall does not mind"},
		{"asked and not called", o{}, "a", "", 0, "0 of 1"},
		{"names differ by case", o{}, "Search", "search", 0, "compared code point by code point"},

		{"precision minds extra calls", o{Score: Precision}, "a", "a z", 1. / 2, "1 of 2 calls"},
		{"precision does not mind what is missing", o{Score: Precision}, "a b", "a", 1, "1 of 1 calls"},
		{"precision of no calls", o{Score: Precision}, "a", "", 1, "no call was wrong"},
		{"f1 minds both", o{Score: F1}, "a b", "a z", 1. / 2, "2*1/(2+2)"},
		{"f1 is no mean", o{Score: F1}, "a b c", "a", 1. / 2, "2*1/(3+1); the mean of 1/3 and 1 is 2/3"},
		{"f1 of nothing called", o{Score: F1}, "a", "", 0, "recall is 0"},
		{"f1 of nothing expected", o{Score: F1}, "", "a", 0, "precision is 0"},
		{"f1 of nothing", o{Score: F1}, "", "", 1, "both are 1"},
		{"f1 without a match", o{Score: F1}, "a", "b", 0, "0 where both are 0"},
		{"all", o{Score: AllOrNothing}, "a b", "b z a", 1, "everything was called"},
		{"or nothing", o{Score: AllOrNothing}, "a b c", "a b", 0, "2 of 3 is not all"},
		{"all of nothing", o{Score: AllOrNothing}, "", "z", 1, "recall is 1"},

		{"in order, others between", o{Order: InOrder}, "a b", "a z b", 1, "only the relative order counts"},
		{"in order, swapped", o{Order: InOrder}, "a b", "b a", 1. / 2, "one of two can be kept"},
		{"in order, the longer part stays", o{Order: InOrder}, "a b c d", "b c d a", 3. / 4, "it is the longest common subsequence"},
		{"exact", o{Order: ExactOrder}, "a b", "a b", 1, "position by position"},
		{"exact, one differs", o{Order: ExactOrder}, "a b c", "a z c", 2. / 3, "two positions agree"},
		{"exact, shifted", o{Order: ExactOrder}, "a b c", "c a b", 0, "no position agrees"},
		{"exact, one more", o{Order: ExactOrder}, "a b", "a b z", 0, "the lengths differ"},
		{"exact, one less", o{Order: ExactOrder}, "a b", "a", 0, "the lengths differ"},
		{"exact, nothing", o{Order: ExactOrder}, "", "", 1, "the same length, and recall of nothing"},

		{"no extra calls", o{ExtraCalls: ForbidExtraCalls}, "a b", "b a", 1, "none is left over"},
		{"one extra call", o{ExtraCalls: ForbidExtraCalls}, "a b", "b a z", 0, "z is left over"},
		{"an extra repeat", o{ExtraCalls: ForbidExtraCalls}, "a", "a a", 0, "the second a is left over"},
		{"a repeat that does not count", o{ExtraCalls: ForbidExtraCalls, Repeats: CollapseRepeats}, "a b", "a a b b b", 1, "stretches of one call count once"},
		{"a repeat further on counts", o{ExtraCalls: ForbidExtraCalls, Repeats: CollapseRepeats}, "a b", "a b a", 0, "only consecutive calls are repeats"},
		{"collapsing takes from recall", o{Repeats: CollapseRepeats}, "a a", "a a", 1. / 2, "two calls count once"},
		{"collapsing raises precision", o{Repeats: CollapseRepeats, Score: Precision}, "a", "a a a", 1, "one call, and it was right"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.options.Threshold = 0.5
			v := judge(t, tc.options, expectation(t, ExpectationSettings{Tools: tools(tc.expected)}), called(tc.called))
			if v.Status != Scored || v.Score != tc.score {
				t.Errorf("%q against %q scores %v (%v), want %v: %s", tc.called, tc.expected, v.Score, v.Status, tc.score, tc.reason)
			}
			checkJudged(t, v)
			checkPairs(t, v)
		})
	}
}

func TestNativeTools(t *testing.T) {
	type o = NativeOptions
	type s = ExpectationSettings
	for _, tc := range []struct {
		name     string
		options  NativeOptions
		settings ExpectationSettings
		called   string
		score    float64
		reason   string
	}{
		{"either alternative", o{}, s{Tools: []Tool{{Names: []string{"a", "b"}}}}, "b", 1, "one of the names is enough"},
		{"alternatives are matched, not grabbed", o{}, s{Tools: []Tool{{Names: []string{"a", "b"}}, {Name: "a"}}}, "a b", 1, "the first tool takes b, for the second has only a"},
		{"globs are matched, not grabbed", o{}, s{Tools: []Tool{{Name: "get_*"}, {Name: "*_row"}, {Name: "get_row"}}}, "get_row put_row get_all", 1, "a chain of exchanges finds place for all"},
		{"a glob is no regular expression", o{}, s{Tools: []Tool{{Name: "a.*"}}}, "abc", 0, "the point is a point"},

		{"count, enough", o{}, s{Tools: []Tool{{Name: "a", Count: Count{2, 3}}}}, "a a", 1, "two are asked for"},
		{"count, too few", o{}, s{Tools: []Tool{{Name: "a", Count: Count{2, 3}}}}, "a", 1. / 2, "one of two"},
		{"count, more within max", o{ExtraCalls: ForbidExtraCalls}, s{Tools: []Tool{{Name: "a", Count: Count{2, 3}}}}, "a a a", 1, "three are allowed"},
		{"count, more than max", o{ExtraCalls: ForbidExtraCalls}, s{Tools: []Tool{{Name: "a", Count: Count{2, 3}}}}, "a a a a", 0, "the fourth is extra"},
		{"count without max", o{ExtraCalls: ForbidExtraCalls}, s{Tools: []Tool{{Name: "a", Count: Count{Min: 2}}}}, "a a a a", 1, "two or more"},
		{"count from none", o{Score: Precision}, s{Tools: []Tool{{Name: "a", Count: Count{0, Unlimited}}}}, "a a z", 2. / 3, "any number of a is welcome"},
		{"an optional tool need not be", o{}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}}}, "a", 1, "recall asks for a only"},
		{"an optional tool adds nothing to recall", o{}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}}}, "b", 0, "a is still missing"},
		{"an optional tool is no extra call", o{ExtraCalls: ForbidExtraCalls}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}}}, "b a", 1, "it was expected, if not required"},
		{"an optional tool counts for precision", o{Score: Precision}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}}}, "a b z", 2. / 3, "two of three calls were welcome"},
		{"f1 with an optional tool", o{Score: F1}, s{Tools: []Tool{{Name: "a"}, {Name: "c"}, {Name: "b", Optional: true}}}, "a b", 2. / 3, "P is 1, R is 1/2"},
		{"f1 with only optional tools", o{Score: F1}, s{Tools: []Tool{{Name: "b", Optional: true}}}, "b z", 2. / 3, "P is 1/2, R is 1"},
		{"an optional tool is not all", o{Score: AllOrNothing}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}}}, "b", 0, "a is still missing"},
		{"required before optional", o{}, s{Tools: []Tool{{Name: "a", Optional: true}, {Name: "a"}}}, "a", 1, "the call goes where it is missed"},

		{"in order with an optional tool", o{Order: InOrder}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}, {Name: "c"}}}, "a b c", 1, "all in their places"},
		{"in order, a welcome call gives way to a required one", o{Order: InOrder}, s{Tools: []Tool{{Name: "b", Count: Count{0, Unlimited}}, {Name: "a"}}}, "a b b b", 1, "one required outweighs three optional"},
		{"in order, as many as there are", o{Order: InOrder, ExtraCalls: ForbidExtraCalls}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Count: Count{1, Unlimited}}, {Name: "c"}}}, "a b b b c", 1, "one required, two more"},
		{"exact with an optional tool", o{Order: ExactOrder}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}, {Name: "c"}}}, "a c", 1, "b was left out"},
		{"exact, the optional place does not fit", o{Order: ExactOrder}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}, {Name: "c"}}}, "a z c", 0, "an optional place takes only its own tool"},
		{"exact, a required place does not agree", o{Order: ExactOrder}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}, {Name: "c"}}}, "z b c", 1. / 2, "the lengths fit, one of two agrees"},
		{"exact, as many as there are", o{Order: ExactOrder}, s{Tools: []Tool{{Name: "a"}, {Name: "b", Count: Count{1, Unlimited}}}}, "a b b b", 1, "no call is left"},

		{"a forbidden call", o{}, s{Tools: tools("a"), Forbidden: tools("rm")}, "a rm", 0, "whatever else was right"},
		{"a forbidden call that nothing else is asked of", o{}, s{Forbidden: tools("rm_*")}, "a rm_all", 0, "globs forbid, too"},
		{"no forbidden call", o{}, s{Forbidden: tools("rm")}, "a", 1, "nothing was required"},
		{"max_calls kept", o{}, s{Tools: tools("a"), MaxCalls: new(2)}, "a z", 1, "two are allowed"},
		{"max_calls exceeded", o{}, s{Tools: tools("a"), MaxCalls: new(2)}, "a z z", 0, "three are too many"},
		{"max_calls counts what counts", o{Repeats: CollapseRepeats}, s{Tools: tools("a"), MaxCalls: new(2)}, "a z z", 1, "repeats count once"},
		{"the best of several lists", o{}, s{AnyOf: [][]Tool{tools("a b c"), tools("x y")}}, "x y", 1, "the second way is as good"},
		{"part of several lists", o{}, s{AnyOf: [][]Tool{tools("a b c"), tools("x y")}}, "a b", 2. / 3, "two of three beat none of two"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := judge(t, tc.options, expectation(t, tc.settings), called(tc.called))
			if v.Status != Scored || v.Score != tc.score {
				t.Errorf("score %v (%v %s), want %v: %s", v.Score, v.Status, v.Why, tc.score, tc.reason)
			}
			checkJudged(t, v)
			checkPairs(t, v)
		})
	}
}

func TestNativeArguments(t *testing.T) {
	const nested = `{"id":"A1","to":{"city":"Bonn","zip":53111},"lines":[{"sku":"x"}]}`
	for _, tc := range []struct {
		mode             ArgumentMode
		expected, called string
		score            float64
		reason           string
	}{
		{ArgumentsIgnore, `{"x":1}`, `{"x":2}`, 1, "not looked at"},
		{ArgumentsExact, `{"x":1,"y":2}`, `{"y":2.0,"x":1}`, 1, "by value, in any order of keys"},
		{ArgumentsExact, `{"x":1}`, `{"x":1,"y":2}`, 0, "one key too many"},
		{ArgumentsExact, `{}`, `null`, 1, "null arguments are no arguments"},
		{ArgumentsSubset, `{"x":1}`, `{"x":1,"y":2}`, 1, "other keys are free"},
		{ArgumentsSubset, `{"x":1,"y":2}`, `{"x":1}`, 0, "y is missing"},
		{ArgumentsSubset, `{"to":{"city":"Bonn"}}`, nested, 1, "objects recursively"},
		{ArgumentsSubset, `{"lines":[{}]}`, nested, 0, "arrays as a whole"},
		{ArgumentsSubset, `{}`, `"text"`, 1, "nothing was asked"},
		{ArgumentsSuperset, `{"x":1,"y":2}`, `{"x":1}`, 1, "every called key is expected"},
		{ArgumentsSuperset, `{"x":1}`, `{"x":1,"y":2}`, 0, "y was not expected"},
		{ArgumentsSuperset, nested, `{"to":{"zip":53111}}`, 1, "objects recursively"},
		{ArgumentsPartial, `{"x":1,"y":2}`, `{"x":1,"y":3}`, 1. / 2, "one of two keys"},
		{ArgumentsPartial, `{"x":1,"y":2}`, `{"x":1,"z":2}`, 1. / 3, "one of three keys of both sides"},
		{ArgumentsPartial, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":2}`, 6. / 7, "a seventh is exact"},
		{ArgumentsPartial, `{}`, `{}`, 1, "no key on either side disagrees"},
		{ArgumentsPartial, nested, `{"to":{"city":"Bonn"}}`, 0, "top-level keys agree in full or not at all"},
		{ArgumentsFuzzy, `{"n":1,"a":1,"b":1,"c":1,"d":1}`, `{"n":-1,"a":1,"b":1,"c":1,"d":1}`, 1, "4 of 5: opposite signs do not take from the others"},
		{ArgumentsPartial, `[1]`, `[1]`, 1, "no objects: equal or not"},
		{ArgumentsFuzzy, `{"q":"weather in Bonn"}`, `{"q":"weather at Bonn"}`, 1, "28/30 of the text is common"},
		{ArgumentsFuzzy, `{"q":"weather"}`, `{"q":"stocks"}`, 0, "not alike"},
		{ArgumentsFuzzy, `{"q":"weather","n":10}`, `{"q":"weather","n":7}`, 1, "the mean of 1 and 0.7"},
		{ArgumentsFuzzy, `{"n":10}`, `{"n":7}`, 0, "0.7 alone"},
		{ArgumentsFuzzy, `{"n":1}`, `{"n":-1}`, 0, "never below 0"},
		{ArgumentsFuzzy, `{"n":1e400}`, `{"n":1e401}`, 0, "beyond the range of a float64"},
		{ArgumentsFuzzy, `{"n":1e400}`, `{"n":10e399}`, 1, "equal by value"},
		{ArgumentsFuzzy, `{"x":1}`, `{"x":1,"y":2}`, 1, "only expected keys are asked for"},
		{ArgumentsFuzzy, `{}`, `{"y":2}`, 1, "nothing was asked"},
		{ArgumentsFuzzy, `{"x":null}`, `{"x":null}`, 1, "equal is alike"},
	} {
		t.Run(tc.mode.String()+tc.expected+tc.called, func(t *testing.T) {
			e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON(tc.expected)}}})
			calls := []Call{{Name: "a", Arguments: JSON(tc.called)}}
			o := DefaultNative()
			o.Arguments = tc.mode
			if v := judge(t, o, e, calls); v.Status != Scored || v.Score != tc.score {
				t.Errorf("score %v (%v), want %v: %s", v.Score, v.Status, tc.score, tc.reason)
			}
			o.Arguments = ArgumentsIgnore
			own := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON(tc.expected), Match: tc.mode}}})
			if v := judge(t, o, own, calls); v.Score != tc.score {
				t.Errorf("as arguments_match it scores %v, want %v", v.Score, tc.score)
			}
		})
	}
}

// Names may have spaces and quotes.
func TestNativeNamesWithSpaces(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a b"}, {Names: []string{"a", "b"}}, {Name: `a" "b`}}})
	v := native(t, nil).Judge(e, []Call{{Name: `a" "b`}, {Name: "b"}, {Name: "a b"}})
	if v.Score != 1 {
		t.Errorf("score %v: the tools are three different ones", v.Score)
	}
}

func TestNativeTakesTheFirstBestList(t *testing.T) {
	e := expectation(t, ExpectationSettings{AnyOf: [][]Tool{tools("a b"), tools("a c"), tools("c d")}})
	v := native(t, nil).Judge(e, called("a"))
	if got := v.Alignment.Expected[1].Name; v.Score != 0.5 || got != "b" {
		t.Errorf("score %v of the list with %s: of two that are as good the first counts", v.Score, got)
	}
}

// Tools compete for one call with partial credits.
func TestNativeShares(t *testing.T) {
	for _, tc := range []struct {
		name     string
		expected []string
		called   []string
		score    float64
		reason   string
	}{
		{"one call for two", []string{`{"x":1,"y":2}`, `{"x":2,"y":2}`}, []string{`{"x":1,"y":2}`}, 1. / 2, "the first agrees in full, the second has none left"},
		{"in another order", []string{`{"x":2,"y":2}`, `{"x":1,"y":2}`}, []string{`{"x":1,"y":2}`}, 1. / 2, "no order matters"},
		{"better together", []string{`{"x":1,"y":1}`, `{"x":1,"y":2}`}, []string{`{"x":1,"y":2}`, `{"x":1,"y":3}`}, 3. / 4, "1/2 + 1 is more than what the first free call gives, 1/2 + 1/2"},
		{"one tool twice", []string{`{"x":1,"y":1}`, `{"x":1,"y":1}`}, []string{`{"x":1,"y":2}`, `{"x":2,"y":1}`}, 1. / 2, "each has a place of its own"},
		{"thirds and quarters", []string{`{"a":1,"b":1,"c":1}`, `{"a":1,"b":1,"c":1,"d":1}`}, []string{`{"a":1,"b":1,"c":2}`, `{"a":1,"b":2,"c":1,"d":1}`}, 17. / 24, "(2/3 + 3/4) / 2 exactly"},
	} {
		var list []Tool
		var calls []Call
		for _, x := range tc.expected {
			list = append(list, Tool{Name: "a", Arguments: JSON(x)})
		}
		for _, x := range tc.called {
			calls = append(calls, Call{Name: "a", Arguments: JSON(x)})
		}
		v := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsPartial }).Judge(expectation(t, ExpectationSettings{Tools: list}), calls)
		if v.Score != tc.score {
			t.Errorf("%s: score %v, want %v: %s", tc.name, v.Score, tc.score, tc.reason)
		}
		checkPairs(t, v)
	}
}

func TestNativeWithoutToolsOrCalls(t *testing.T) {
	n := native(t, nil)
	for _, e := range []*Expectation{nil, {}} {
		if v := n.Judge(e, called("a")); v.Status != Scored || v.Score != 1 {
			t.Errorf("without an expectation: %v, %v; nothing is missing", v.Status, v.Score)
		}
	}
}

func TestNewNativeRefuses(t *testing.T) {
	o := NativeOptions{
		Order: 3, Arguments: 7, Output: 3, Score: 4, ExtraCalls: 2, Repeats: 3,
		Threshold: math.NaN(), FuzzyThreshold: 1.01,
	}
	_, err := NewNative(o)
	if err == nil {
		t.Fatal("made of options that are all wrong")
	}
	for _, key := range []string{"order", "arguments", "output", "score", "extra_calls", "repeats", "threshold", "fuzzy_threshold"} {
		if !strings.Contains("\n"+err.Error(), "\n"+key+": ") {
			t.Errorf("nothing is said of %s in %q", key, err)
		}
	}
}

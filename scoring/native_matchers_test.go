package scoring

import (
	"strings"
	"testing"
)

// A matcher counts as a key of the expected arguments in every mode, and a reason with values says what it accepts.
func TestMatchers(t *testing.T) {
	const subset, exact, superset, partial, fuzzy = ArgumentsSubset, ArgumentsExact, ArgumentsSuperset, ArgumentsPartial, ArgumentsFuzzy
	oneOf := func(path, list string) Matcher { return Matcher{Path: path, Value: JSON(list)} }
	near := func(path, n, within string) Matcher {
		return Matcher{Path: path, Rule: Near, Value: JSON(n), Within: within}
	}
	loose := func(path, text string) Matcher { return Matcher{Path: path, Rule: Loose, Value: Text(text)} }
	anyOrder := func(path, list string) Matcher { return Matcher{Path: path, Rule: InAnyOrder, Value: JSON(list)} }
	optional := func(m Matcher) Matcher { m.Optional = true; return m }
	for _, tc := range []struct {
		name      string
		mode      ArgumentMode
		arguments string // expected, beside the matchers
		matchers  []Matcher
		called    string
		score     float64
		want      string // in the reason with values
		reason    string
	}{
		{"one of", subset, "", []Matcher{oneOf("to", `["Ann","Bob"]`)}, `{"to":"Bob","n":1}`, 1, "", "the second is as good as the first"},
		{"none of them", subset, "", []Matcher{oneOf("to", `["Ann",{"id":7}]`)}, `{"to":"Eve"}`, 0, `(to: "Eve" instead of one of "Ann", an object of 1)`, "all are named"},
		{"an object of them", subset, "", []Matcher{oneOf("to", `["Ann",{"id":7,"a":1}]`)}, `{"to":{"a":1.0,"id":7}}`, 1, "", "values are equal as elsewhere"},
		{"not there", subset, "", []Matcher{oneOf("to", `["Ann"]`)}, `{}`, 0, `(to: nothing instead of one of "Ann")`, "the key is expected"},
		{"need not be there", subset, "", []Matcher{optional(oneOf("to", `["Ann"]`))}, `{}`, 1, "", "it is optional"},
		{"optional and wrong", subset, "", []Matcher{optional(oneOf("to", `["Ann"]`))}, `{"to":"Bob"}`, 0, "to:", "if it is there, it counts"},
		{"null of them", fuzzy, "", []Matcher{oneOf("to", `[null]`)}, `{"to":"Ann"}`, 0, "to:", "null is a value"},
		{"the upper bound", subset, "", []Matcher{near("n", "1", "0.1")}, `{"n":1.1}`, 1, "", "as decimals 1.1 is 0.1 from 1"},
		{"the lower bound", subset, "", []Matcher{near("n", "1", "0.1")}, `{"n":0.9}`, 1, "", "likewise"},
		{"above", subset, "", []Matcher{near("n", "100", "5%")}, `{"n":105.01}`, 0, "(n: 105.01 instead of 100 within 5%)", "5% of 100 are 5"},
		{"below zero", subset, "", []Matcher{near("n", "-100", "5%")}, `{"n":-95}`, 1, "", "5% of -100 are 5"},
		{"a text near a number", subset, "", []Matcher{near("n", "1", "1")}, `{"n":"1"}`, 0, "n:", "only numbers are near"},
		{"a huge number", subset, "", []Matcher{near("n", "1", "1")}, `{"n":1e999999999}`, 0, "n:", "beyond any bound"},
		{"loosely", subset, "", []Matcher{loose("q", "SELECT a FROM t")}, `{"q":"select\u0020a\n from\u0020t;"}`, 1, "", "case, spaces and punctuation do not count"},
		{"not even loosely", subset, "", []Matcher{loose("q", "Paris")}, `{"q":"Rome"}`, 0, `(q: "Rome" instead of "Paris" loosely)`, "letters count"},
		{"loose digits", subset, "", []Matcher{loose("q", "1.5")}, `{"q":"15"}`, 0, "q:", "punctuation between digits counts as a space"},
		{"loose dates", subset, "", []Matcher{loose("q", "2026-11-25")}, `{"q":"2026/11/25"}`, 1, "", "whichever it is"},
		{"any order", subset, "", []Matcher{anyOrder("l", `[{"a":1,"b":2},2,2]`)}, `{"l":[2,{"b":2,"a":1},2.0]}`, 1, "", "of objects too"},
		{"as often", subset, "", []Matcher{anyOrder("l", `[1,2,2]`)}, `{"l":[1,1,2]}`, 0, "(l: an array of 3 instead of an array of 3 in any order)", "each element counts as often as it stands there"},
		{"nested", subset, `{"address":{"zip":"1"}}`, []Matcher{oneOf("address.city", `["Rome","Roma"]`)}, `{"address":{"city":"Roma","zip":"1"}}`, 1, "", "the path leads into an object"},
		{"nested and wrong", subset, `{"address":{"zip":"1"}}`, []Matcher{oneOf("address.city", `["Rome"]`)}, `{"address":{"city":"Pisa","zip":"1"}}`, 0, `(address.city: "Pisa" instead of one of "Rome")`, "and so does the reason"},
		{"nested in nothing", subset, "", []Matcher{optional(oneOf("a.b", `[1]`))}, `{}`, 1, "", "an optional key may lack its object too"},
		{"exact", exact, `{"n":1}`, []Matcher{oneOf("to", `["Ann"]`)}, `{"n":1,"to":"Ann","x":2}`, 0, "x: 2 instead of nothing", "further keys are wrong"},
		{"superset", superset, "", []Matcher{oneOf("to", `["Ann","Bob"]`)}, `{}`, 1, "", "a key may be missing"},
		{"partial", partial, `{"n":1}`, []Matcher{oneOf("to", `["Ann","Bob"]`), near("x", "1", "1")}, `{"n":2,"to":"Bob","x":1.5}`, 2. / 3, "n: 2 instead of 1", "two of three keys agree"},
		{"fuzzy", fuzzy, "", []Matcher{loose("q", "Roma")}, `{"q":"Rome"}`, 0, "q:", "a matcher agrees or not"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tool := Tool{Name: "pay", Matchers: tc.matchers}
			if tc.arguments != "" {
				tool.Arguments = JSON(tc.arguments)
			}
			m := native(t, func(o *NativeOptions) { o.Arguments, o.FuzzyThreshold = tc.mode, 0.7 })
			v := m.Judge(expectation(t, ExpectationSettings{Tools: []Tool{tool}}), []Call{{Name: "pay", Arguments: JSON(tc.called)}})
			checkJudged(t, v)
			if got := v.Reason(ReasonOptions{Values: true}); v.Score != tc.score || !strings.Contains(got, tc.want) {
				t.Errorf("got %v: %s\nwant %v: %s\n%s", v.Score, got, tc.score, tc.want, tc.reason)
			}
			if got := v.Reason(ReasonOptions{}); strings.Contains(got, "instead of") {
				t.Errorf("without values the reason is %s", got)
			}
		})
	}
}

func TestMatchersRefused(t *testing.T) {
	for _, tc := range []struct {
		tool Tool
		want string
	}{
		{Tool{Matchers: []Matcher{{Path: "a", Value: JSON("[]")}}}, `tools[0].matchers["a"].one_of: must be a list of at least one value`},
		{Tool{Matchers: []Matcher{{Path: "a", Value: JSON("1")}}}, `tools[0].matchers["a"].one_of: must be a list of at least one value`},
		{Tool{Matchers: []Matcher{{Path: "a", Rule: InAnyOrder, Value: JSON("1")}}}, `tools[0].matchers["a"].any_order: must be a list`},
		{Tool{Matchers: []Matcher{{Path: "a", Rule: Loose, Value: Text("?!")}}}, `tools[0].matchers["a"].loose: must be a text with a letter or a digit`},
		{Tool{Matchers: []Matcher{{Path: "a", Rule: Near, Value: Text("1")}}}, `tools[0].matchers["a"].near: must be a number`},
		{Tool{Matchers: []Matcher{{Path: "a", Rule: Near, Value: JSON("1"), Within: "-1"}}}, `tools[0].matchers["a"].near: needs ` + "`within`, a number such as 0.5 or a share such as 5%"},
		{Tool{Matchers: []Matcher{{Path: "a", Rule: Near, Value: JSON("1")}}}, `tools[0].matchers["a"].near: needs ` + "`within`, a number such as 0.5 or a share such as 5%"},
		{Tool{Matchers: []Matcher{{Path: "a", Value: JSON("[1]"), Within: "1"}}}, `tools[0].matchers["a"].within: needs ` + "`near`"},
		{Tool{Matchers: []Matcher{{Path: "a..b", Value: JSON("[1]")}}}, `tools[0].matchers["a..b"]: must be the path of a key, such as city or address.city`},
		{Tool{Matchers: []Matcher{{Path: "a", Value: JSON("[1]")}, {Path: "a.b", Value: JSON("[1]")}}}, `tools[0].matchers["a.b"]: is inside of "a", which has a matcher too`},
		{Tool{Arguments: JSON(`{"a":{"b":1}}`), Matchers: []Matcher{{Path: "a.b", Value: JSON("[1]")}}}, `tools[0].matchers["a.b"]: is a key of ` + "`arguments` too"},
		{Tool{Arguments: JSON(`{"a":1}`), Matchers: []Matcher{{Path: "a.b", Value: JSON("[1]")}}}, `tools[0].matchers["a.b"]: leads into a value of ` + "`arguments` that is no object"},
		{Tool{Arguments: JSON(`[1]`), Matchers: []Matcher{{Path: "a", Value: JSON("[1]")}}}, "tools[0].arguments: must be an object, because there are `matchers`"},
		{Tool{After: []string{""}}, "tools[0].after[0]: must not be empty"},
	} {
		tc.tool.Name = "x"
		if _, err := NewExpectation(ExpectationSettings{Tools: []Tool{tc.tool}}); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

// The rules on which calls a run may make, and when.
func TestRulesOnCalls(t *testing.T) {
	type s = ExpectationSettings
	type o = NativeOptions
	refund := func(after ...string) []Tool { return []Tool{{Name: "refund", After: after}, {Name: "search"}} }
	pay := []Tool{{Name: "pay", Arguments: JSON(`{"n":5,"to":"Ann"}`)}}
	for _, tc := range []struct {
		name     string
		options  func(*o)
		settings s
		called   string
		score    float64
		want     string
		reason   string
	}{
		{"after", nil, s{Tools: refund("search")}, "search refund", 1, "Passed: both expected calls were made.", "it came before"},
		{"before", nil, s{Tools: refund("search")}, "refund search", 0.5, "Passed: 1 of 2 expected calls matched; out of order: refund (must come after search).", "the list has no order, and the tool has"},
		{"after one of several", nil, s{Tools: refund("search")}, "search refund search", 1, "Passed: both expected calls were made; not expected: search.", "one call is enough"},
		{"the later of two", nil, s{Tools: refund("search")}, "refund search refund", 1, "Passed: both expected calls were made; not expected: refund.", "the one behind it counts"},
		{"after both", nil, s{Tools: refund("search", "check_*")}, "search refund check_a", 0.5, "Passed: 1 of 2 expected calls matched; out of order: refund (must come after search, check_*); not expected: check_a.", "each must have come"},
		{"after nothing", nil, s{Tools: refund("check")[:1]}, "refund", 0, "Failed: out of order: refund (must come after check). 0 of 1 expected calls matched.", "it never came"},
		{"after itself", nil, s{Tools: refund("refund")[:1]}, "refund refund", 1, "Passed: the expected call was made; not expected: refund.", "another call of the tool"},
		{"in order too", func(x *o) { x.Order = InOrder }, s{Tools: []Tool{{Name: "a"}, {Name: "b", After: []string{"c"}}}}, "a b c", 0.5, "Passed: 1 of 2 expected calls matched; out of order: b (must come after c); not expected: c.", "both orders are kept"},
		{"forbidden after", nil, s{Forbidden: []Tool{{Name: "delete", After: []string{"export"}}}}, "delete export", 1, "Passed: no calls were expected; not expected: delete, export.", "it came before"},
		{"forbidden, and after", nil, s{Forbidden: []Tool{{Name: "delete", After: []string{"export"}}}}, "export delete", 0, "Failed: a forbidden call was made: delete, so the score is 0. No calls were expected; not expected: export.", "it came after"},
		{"allowed", nil, s{Allowed: []string{"get_*"}}, "get_a get_b", 1, "Passed: no calls were expected; not expected: get_a, get_b.", "all are allowed"},
		{"not allowed", nil, s{Tools: tools("a"), Allowed: []string{"get_*"}}, "a get_a rm mv", 0.5, "Passed: the expected call was made; not allowed: rm, mv; not expected: get_a.", "two of four calls are authorised"},
		{"expected is allowed", nil, s{Tools: tools("a"), Allowed: []string{}}, "a a", 1, "Passed: the expected call was made; not expected: a.", "by its name"},
		{"forbidden if not allowed", func(x *o) { x.ExtraCalls = ForbidExtraCalls }, s{Allowed: []string{"get_*"}}, "get_a rm", 0, "Failed: not allowed: rm; not expected: get_a; no other calls are allowed, so the score is 0. No calls were expected.", "extra calls are those that are not allowed"},
		{"all or nothing", func(x *o) { x.Score = AllOrNothing }, s{Tools: tools("a"), Allowed: []string{}}, "a rm", 0, "Failed: not allowed: rm. The expected call was made.", "one is enough"},
		{"repeated too often", nil, s{MaxRepeats: 2}, `a({"n":1}) a({"n":1.0}) b a({"n":1})`, 0, "Failed: 3 identical calls of a, at most 2 are allowed, so the score is 0. No calls were expected; not expected: a (3 times), b.", "equal arguments, anywhere in the run"},
		{"repeated otherwise", nil, s{MaxRepeats: 2}, `a({"n":1}) a({"n":2}) a({"n":3}) b({"n":1})`, 1, "Passed: no calls were expected; not expected: a (3 times), b.", "other arguments"},
		{"perhaps repeated", nil, s{MaxRepeats: 1}, `a({"n":1}) a?`, 0, `Not scored: arguments of "a" were not captured.`, "nobody knows"},
		{"repeated in any case", nil, s{MaxRepeats: 1}, `a({"n":1}) a({"n":1}) a?`, 0, `Failed: 2 identical calls of a, at most 1 is allowed, so the score is 0. No calls were expected; not expected: a (3 times).`, "whatever the third is"},
		{"no calls", nil, s{MaxCalls: new(0)}, "a", 0, "Failed: 1 call was made, none is allowed, so the score is 0. No calls were expected; not expected: a.", "0 is a limit"},
		{"no calls of one", nil, s{MaxCallsOf: []CallLimit{{"a", 0}}}, "a", 0, "Failed: 1 call of a, none is allowed, so the score is 0. No calls were expected; not expected: a.", "of a tool too"},
		{"credit of both", func(x *o) { x.Arguments = ArgumentsPartial }, s{Tools: pay}, `pay({"n":5,"x":1,"y":1})`, 0.25, "Failed: wrong arguments: pay (to, 2 unexpected keys). 0 of 1 expected calls matched in full.", "one of four keys"},
		{"credit of the expected", func(x *o) { x.Arguments, x.Credit = ArgumentsPartial, CreditExpected }, s{Tools: pay}, `pay({"n":5,"x":1,"y":1})`, 0.5, "Passed: 0 of 1 expected calls matched in full; wrong arguments: pay (to).", "one of two keys"},
		{"fuzzy is exact", func(x *o) { x.Arguments, x.FuzzyThreshold = ArgumentsFuzzy, 0.7 }, s{Tools: []Tool{{Name: "a", Arguments: JSON(`{"x":10,"y":10,"z":10}`)}}}, `a({"x":7,"y":7,"z":7})`, 1, "Passed: the expected call was made.", "three times 0.7 is 2.1, whatever floats make of it"},
		{"fuzzy is exact below", func(x *o) { x.Arguments, x.FuzzyThreshold = ArgumentsFuzzy, 0.7000000001 }, s{Tools: []Tool{{Name: "a", Arguments: JSON(`{"x":10,"y":10,"z":10}`)}}}, `a({"x":7,"y":7,"z":7})`, 0, "Failed: wrong arguments: a (x, y, z). 0 of 1 expected calls matched.", "0.7 is less"},
		{"fuzzy texts", func(x *o) { x.Arguments, x.FuzzyThreshold = ArgumentsFuzzy, 0.6 }, s{Tools: []Tool{{Name: "a", Arguments: JSON(`{"x":"abcde","y":"abcde","z":"abcde"}`)}}}, `a({"x":"abcfg","y":"abcfg","z":"abcfg"})`, 1, "Passed: the expected call was made.", "six of ten characters, three times"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, calls := lists(t, "", tc.called)
			v := native(t, tc.options).Judge(expectation(t, tc.settings), calls)
			checkJudged(t, v)
			if got := v.Reason(ReasonOptions{}); v.Score != tc.score || got != tc.want {
				t.Errorf("got  %v: %s\nwant %v: %s\n%s", v.Score, got, tc.score, tc.want, tc.reason)
			}
		})
	}
}

// A call that ran at the same time as another has no order, so it may have come after it.
func TestAfterAtTheSameTime(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "refund", After: []string{"search"}}}})
	for _, tc := range []struct {
		search     Interval
		concurrent Concurrent
		want       float64
	}{
		{Interval{5, 9}, ConcurrentAnyOrder, 1},
		{Interval{10, 12}, ConcurrentAnyOrder, 0},
		{Interval{5, 9}, ConcurrentAsStarted, 0},
		{Interval{}, ConcurrentAnyOrder, 0},
	} {
		m := native(t, func(o *NativeOptions) { o.Concurrent = tc.concurrent })
		if got := m.Judge(e, []Call{{Name: "refund", Time: Interval{1, 10}}, {Name: "search", Time: tc.search}}).Score; got != tc.want {
			t.Errorf("with the search at %v, %s, the score is %v, want %v", tc.search, tc.concurrent, got, tc.want)
		}
	}
}

// Values that look alike are shown so that a reader sees the difference.
func TestValuesThatLookAlike(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, tc := range []struct{ expected, called, want string }{
		{"café", "cafe\u0301", `"cafe\u0301" instead of "caf\u00e9"`},
		{"a b", "a\u00a0b", `"a\u00a0b" instead of "a b"`},
		{"pаy", "pay", `"pay" instead of "p\u0430y"`},
		{"Zürich", "Rome", `"Rome" instead of "Zürich"`},
		{long + "1", long + "2", `"xxxxxxxx2" instead of "xxxxxxxx1"`},
		{long + "ä", long + "a", `"xxxxxxxxa" instead of "xxxxxxxx\u00e4"`},
	} {
		e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "x", Arguments: JSON(written(StringValue(tc.expected))), Match: ArgumentsExact}}})
		v := native(t, nil).Judge(e, []Call{{Name: "x", Arguments: Text(tc.called)}})
		if got := v.Reason(ReasonOptions{Values: true}); !strings.Contains(got, tc.want) {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

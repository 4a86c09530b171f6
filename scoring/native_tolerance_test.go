package scoring

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// Ignored keys and defaults change the score, and the reason mentions them.
func TestTolerance(t *testing.T) {
	tool := func(arguments, defaults string, ignore ...string) Tool {
		x := Tool{Name: "a", Arguments: JSON(arguments), IgnoreArguments: ignore}
		if defaults != "" {
			x.ArgumentDefaults = JSON(defaults)
		}
		return x
	}
	const made = "Passed: the expected call was made"
	for _, tc := range []struct {
		name, called string
		mode         ArgumentMode
		tool         Tool
		want         string
		reason       string
	}{
		{"an ignored key of the call", `{"x":1,"id":7}`, ArgumentsExact, tool(`{"x":1}`, "", "id"), made + "; not compared: id of a.", "it is as if it were not there"},
		{"an ignored key of both", `{"x":1,"id":7}`, ArgumentsExact, tool(`{"x":1,"id":8}`, "", "id"), made + "; not compared: id of a.", "on both sides"},
		{"a key that is not there", `{"x":1}`, ArgumentsExact, tool(`{"x":1}`, "", "id"), made + ".", "it took no part"},
		{"another key", `{"x":1,"idx":7}`, ArgumentsExact, tool(`{"x":1}`, "", "id"), "Failed: wrong arguments: a (1 unexpected key). 0 of 1 expected calls matched.", "a key is a whole key"},
		{"a nested key", `{"x":1,"meta":{"id":7,"n":1}}`, ArgumentsExact, tool(`{"x":1,"meta":{"n":1}}`, "", "meta.id"), made + "; not compared: meta.id of a.", "by its path"},
		{"a glob", `{"x":1,"meta":{"id":7,"n":{"o":1}}}`, ArgumentsExact, tool(`{"x":1,"meta":{}}`, "", "meta.*"), made + "; not compared: meta.* of a.", "all below meta"},
		{"a glob at the end", `{"x":1,"trace_id":7,"span_id":8}`, ArgumentsExact, tool(`{"x":1}`, "", "*_id"), made + "; not compared: *_id of a.", "any beginning"},
		{"in a list", `{"lines":[{"sku":"a","id":1},{"sku":"b","id":2}]}`, ArgumentsExact, tool(`{"lines":[{"sku":"a"},{"sku":"b"}]}`, "", "lines[*].id"),
			made + "; not compared: lines[*].id of a.", "the path is that of a reason"},
		{"an ignored key and another difference", `{"x":2,"id":7}`, ArgumentsExact, tool(`{"x":1,"id":8}`, "", "id"),
			"Failed: wrong arguments: a (x); not compared: id of a. 0 of 1 expected calls matched.", "only the difference that counts is named"},
		{"partial", `{"x":1,"y":2,"id":7}`, ArgumentsPartial, tool(`{"x":1,"y":3}`, "", "id"), "Passed: 0 of 1 expected calls matched in full; wrong arguments: a (y); not compared: id of a.", "one of two keys"},

		{"a default for the call", `{"x":1}`, ArgumentsSubset, tool(`{"x":1,"lang":"en"}`, `{"lang":"en"}`), made + "; default taken: lang of a.", "the call leaves it to the tool"},
		{"a default that is not expected", `{"x":1}`, ArgumentsSubset, tool(`{"x":1,"lang":"fr"}`, `{"lang":"en"}`),
			"Failed: wrong arguments: a (lang); default taken: lang of a. 0 of 1 expected calls matched.", "it differs"},
		{"written out", `{"x":1,"lang":"en"}`, ArgumentsExact, tool(`{"x":1}`, `{"lang":"en"}`), made + ".", "under exact the expected side has the default, too"},
		{"written out, and another value", `{"x":1,"lang":"fr"}`, ArgumentsExact, tool(`{"x":1}`, `{"lang":"en"}`),
			"Failed: wrong arguments: a (lang). 0 of 1 expected calls matched.", "not expected was en"},
		{"another value under subset", `{"x":1,"lang":"fr"}`, ArgumentsSubset, tool(`{"x":1}`, `{"lang":"en"}`), made + ".", "what is not stated may be anything"},
		{"superset", `{"x":1,"lang":"en"}`, ArgumentsSuperset, tool(`{"x":1}`, `{"lang":"en"}`), made + ".", "a default is an allowed key"},
		{"a nested default", `{"o":{"x":1}}`, ArgumentsExact, tool(`{"o":{"x":1,"y":2}}`, `{"o":{"y":2}}`), made + ".", "objects are filled in"},
		{"a default of an object that is missing", `{}`, ArgumentsExact, tool(`{"o":{"y":2}}`, `{"o":{"y":2}}`), made + "; default taken: o of a.", "as a whole"},
		{"null arguments", `null`, ArgumentsExact, tool(`{"lang":"en"}`, `{"lang":"en"}`), made + "; default taken: lang of a.", "they are none"},
		{"both", `{"id":1}`, ArgumentsExact, tool(`{"lang":"en"}`, `{"lang":"en"}`, "id"), made + "; not compared: id of a; default taken: lang of a.", "together"},
		{"no object", `"text"`, ArgumentsExact, tool(`{"lang":"en"}`, `{"lang":"en"}`), "Failed: wrong arguments: a. 0 of 1 expected calls matched.", "a text has no keys"},
		{"odd texts", "{\"k\\u0001\\\"\\\\\":\"\xff\\n\"}", ArgumentsExact, tool("{\"k\\u0001\\\"\\\\\":\"\xff\\n\"}", "", "id"), made + ".", "byte by byte"},
	} {
		checkSaid(t, []said{{
			tc.name, func(o *NativeOptions) { o.Arguments = tc.mode }, ExpectationSettings{Tools: []Tool{tc.tool}},
			[]Call{{Name: "a", Arguments: JSON(tc.called)}}, tc.want, tc.reason,
		}})
	}
}

// FuzzTolerance: a tolerance that no key matches changes no score, and arguments that differ only in ignored keys are equal.
func FuzzTolerance(f *testing.F) {
	f.Add(`{"x":1,"o":{"y":[1,{"z":"é"}]}}`, `{"x":1}`, "v")
	f.Add(`{"x":1e3}`, `{"x":1000,"y":null}`, "\xff\"\\")
	f.Fuzz(func(t *testing.T, wanted, made, value string) {
		if v, err := Decode(wanted); err != nil || v.Kind() != Object {
			return
		}
		for _, mode := range []ArgumentMode{ArgumentsExact, ArgumentsSubset, ArgumentsSuperset, ArgumentsPartial} {
			m := native(t, func(o *NativeOptions) { o.Arguments = mode })
			judge := func(tool Tool, arguments string) Verdict {
				return m.Judge(expectation(t, ExpectationSettings{Tools: []Tool{tool}}), []Call{{Name: "a", Arguments: JSON(arguments)}})
			}
			plain := judge(Tool{Name: "a", Arguments: JSON(wanted)}, made)
			tolerant := judge(Tool{Name: "a", Arguments: JSON(wanted), IgnoreArguments: []string{"no key \x00 is named so"}, ArgumentDefaults: JSON("{}")}, made)
			if plain.Score != tolerant.Score {
				t.Errorf("%v: a tolerance that takes no part moved the score from %v to %v", mode, plain.Score, tolerant.Score)
			}
			work := names.Steps(maxWork)
			quoted, _ := compare.Rewrite(StringValue(value), &compare.Changes{}, &work)
			added := `{"ignored":` + quoted
			if rest := wanted[1:]; len(rest) > 0 && wanted[0] == '{' && mustDecode(wanted).Len() > 0 {
				added += "," + rest
			} else {
				return
			}
			if v, err := Decode(added); err != nil || mustDecode(wanted).Len()+1 != v.Len() {
				return // the key was there
			}
			if got := judge(Tool{Name: "a", Arguments: JSON(wanted), IgnoreArguments: []string{"ignored"}}, added); got.Score != 1 {
				t.Errorf("%v: %q and %q differ in an ignored key, and score %v", mode, wanted, added, got.Score)
			}
		}
	})
}

func mustDecode(text string) Value {
	v, _ := Decode(text)
	return v
}

// Each tool may have its own limit.
func TestMaxCallsOf(t *testing.T) {
	limit := func(name string, n int) ExpectationSettings {
		return ExpectationSettings{Tools: tools("a"), MaxCallsOf: []CallLimit{{name, n}}}
	}
	checkSaid(t, []said{
		{"at the limit", nil, limit("get", 2), called("a get get"), "Passed: the expected call was made; not expected: get (2 times).", "as many as are allowed"},
		{"over the limit", nil, limit("get", 2), called("a get get get"), "Failed: 3 calls of get, at most 2 are allowed, so the score is 0. The expected call was made; not expected: get (3 times).", "the limit is named"},
		{"a glob", nil, limit("get_*", 1), called("a get_a get_b"), "Failed: 2 calls of get_* (get_a, get_b), at most 1 is allowed, so the score is 0. The expected call was made; not expected: get_a, get_b.", "together"},
		{"another tool", nil, limit("get", 1), called("a put put put"), "Passed: the expected call was made; not expected: put (3 times).", "it has no limit"},
		{"two limits", nil, ExpectationSettings{Tools: tools("a"), MaxCalls: new(2), MaxCallsOf: []CallLimit{{"b", 1}, {"a", 1}}}, called("a a b b"),
			"Failed: 4 calls were made, at most 2 are allowed; 2 calls of b, at most 1 is allowed; 2 calls of a, at most 1 is allowed, so the score is 0. The expected call was made; not expected: a, b (2 times).", "all that are broken"},
		{"alone", nil, ExpectationSettings{MaxCallsOf: []CallLimit{{"*", 1}}}, called("b"), "Passed: no calls were expected; not expected: b.", "a limit is an expectation"},
	})
}

// Under unique repeats, equal calls and equal tools count once, at any positions.
func TestUniqueRepeats(t *testing.T) {
	a := func(arguments string) Tool { return Tool{Name: "a", Arguments: JSON(arguments)} }
	call := func(arguments string) Call { return Call{Name: "a", Arguments: JSON(arguments)} }
	for _, tc := range []struct {
		name      string
		arguments ArgumentMode
		tools     []Tool
		calls     []Call
		score     float64 // f1
		reason    string
	}{
		{"calls", ArgumentsIgnore, tools("a b"), called("a b a a b"), 1, "as sets both are a, b"},
		{"tools", ArgumentsIgnore, tools("a b a a"), called("b a"), 1, "likewise"},
		{"a count", ArgumentsIgnore, []Tool{{Name: "a", Count: Count{3, Unlimited}}}, called("a"), 1, "three of a are a set of one"},
		{"another tool", ArgumentsIgnore, tools("a b"), called("a a c c"), 0.5, "2 of 4: a of a, b and of a, c"},
		{"names alone", ArgumentsIgnore, []Tool{a(`{"x":1}`), a(`{"x":2}`)}, []Call{call(`{"x":3}`), call(`{"x":4}`)}, 1, "arguments are not looked at"},
		{"arguments", ArgumentsExact, []Tool{a(`{"x":1}`), a(`{"x":2}`)}, []Call{call(`{"x":1}`), call(`{"x":1.0}`), call(`{"x":3}`)}, 0.5, "1 and 1.0 are one"},
		{"arguments of the same tool", ArgumentsExact, []Tool{a(`{"x":1}`), a(`{"x":1}`)}, []Call{call(`{"x":1}`), call(`{"x":1}`)}, 1, "equal on both sides"},
		{"equal arguments, written in another way", ArgumentsExact, []Tool{a(`{"x":1,"y":2}`), a(`{"y":2.0,"x":1}`)}, []Call{call(`{"y":2,"x":1}`)}, 1, "keys have no order"},
		{"null and none", ArgumentsExact, []Tool{a(`{}`)}, []Call{call(`null`), call(`{}`)}, 1, "null arguments are none"},
		{"not captured", ArgumentsExact, tools("a"), called("a a"), 1, "the names decide"},
		{"too large", ArgumentsExact, tools("a"), []Call{{Name: "a", Arguments: TooLarge()}, {Name: "a", Arguments: TooLarge()}}, 2.0 / 3, "they may differ"},
		{"a tool's own mode", ArgumentsIgnore, []Tool{{Name: "a", Arguments: JSON(`{"x":1}`), Match: ArgumentsExact}}, []Call{call(`{"x":1}`), call(`{"x":2}`)}, 2.0 / 3, "arguments are compared"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := native(t, func(o *NativeOptions) { o.Arguments, o.Score, o.Repeats = tc.arguments, F1, UniqueRepeats })
			v := m.Judge(expectation(t, ExpectationSettings{Tools: tc.tools}), tc.calls)
			if v.Score != tc.score {
				t.Errorf("score %v, want %v: %s\n%s", v.Score, tc.score, tc.reason, v.Reason(ReasonOptions{}))
			}
			checkJudged(t, v)
		})
	}
}

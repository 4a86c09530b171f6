package scoring

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewExpectationRefuses(t *testing.T) {
	type s = ExpectationSettings
	one := func(t Tool) s { return s{Tools: []Tool{t}} }
	for _, tc := range []struct {
		name     string
		settings s
		faults   string // path and a part of the rule, one a line
		reason   string
	}{
		{"nothing at all", s{}, ": says nothing", "nothing could be measured"},
		{"no name", one(Tool{}), "tools[0].name: must not be empty", "no call has no name"},
		{"name and any_of", one(Tool{Name: "a", Names: []string{"b"}}), "tools[0].any_of: must not be combined with `name`", "which one counts?"},
		{"an empty alternative", one(Tool{Names: []string{"b", ""}}), "tools[0].any_of[1]: must not be empty", "no call has no name"},
		{"a negative min", one(Tool{Name: "a", Count: Count{-1, 1}}), "tools[0].count: min must not be negative, is -1", "a tool cannot be called less than never"},
		{"a negative max", one(Tool{Name: "a", Count: Count{0, -2}}), "tools[0].count: max must not be negative, is -2", "only Unlimited is special"},
		{"max below min", one(Tool{Name: "a", Count: Count{3, 2}}), "tools[0].count: max 2 is less than min 3", "no number is both"},
		{"a large max", one(Tool{Name: "a", Count: Count{1, 1001}}), "tools[0].count: must not exceed 1000", "alignments must stay readable"},
		{"a large min", one(Tool{Name: "a", Count: Count{Min: 1001}}), "tools[0].count: must not exceed 1000", "for the same reason"},
		{"optional and asked for", one(Tool{Name: "a", Optional: true, Count: Count{1, 2}}), "tools[0].count: min 1 contradicts `optional`", "it cannot be both"},
		{"an unknown mode", one(Tool{Name: "a", Match: 9, Arguments: JSON("{}")}), "tools[0].arguments_match: is unknown", "there are six"},
		{"a mode without arguments", one(Tool{Name: "a", Match: ArgumentsExact}), "tools[0].arguments_match: needs `arguments`", "it would have no effect, which no author means"},
		{"arguments that were cut", one(Tool{Name: "a", Arguments: TooLarge()}), "tools[0].arguments: is too large", "they can never be compared"},
		{"output that was cut", one(Tool{Name: "a", Output: TooLarge()}), "tools[0].output: is too large", "for the same reason"},
		{"tools and any_of", s{Tools: tools("a"), AnyOf: [][]Tool{tools("b")}}, "any_of: must not be combined with `tools`", "which one counts?"},
		{"a fault in a list of any_of", s{AnyOf: [][]Tool{tools("a"), {{Name: "b"}, {}}}}, "any_of[1][1].name: must not be empty", "paths lead there"},
		{"a negative max_calls", s{Tools: tools("a"), MaxCalls: new(-1)}, "max_calls: must not be negative, is -1", "a tool cannot be called less than never"},
		{"max_calls below what is asked for", s{Tools: tools("a b c"), MaxCalls: new(2)}, "max_calls: is 2, but tools asks for 3", "no run could pass"},
		{"max_calls below one list", s{AnyOf: [][]Tool{tools("a"), tools("a b c")}, MaxCalls: new(2)}, "max_calls: is 2, but any_of[1] asks for 3", "that list could never be fulfilled"},
		{"forbidden and required", s{Tools: tools("a rm"), Forbidden: tools("rm")}, `tools[1]: "rm" is required and forbidden`, "no run could pass"},
		{"forbidden by a glob and required", s{Tools: tools("rm_x"), Forbidden: tools("rm*")}, `tools[0]: "rm_x" is required and forbidden`, "no run could pass"},
		{"all alternatives forbidden", s{Tools: []Tool{{Names: []string{"a", "b"}}}, Forbidden: tools("a b")}, `tools[0]: "a|b" is required and forbidden`, "neither is left"},
		{"a forbidden tool without name", s{Forbidden: []Tool{{}}}, "forbidden[0].name: must not be empty", "it would forbid nothing"},
		{"a forbidden tool with a count", s{Forbidden: []Tool{{Name: "a", Count: Count{1, 2}}}}, "forbidden[0].count: has no meaning", "forbidden is never"},
		{"a forbidden optional tool", s{Forbidden: []Tool{{Name: "a", Optional: true}}}, "forbidden[0].optional: has no meaning", "forbidden is never"},
		{"too many calls", s{Tools: slices.Repeat([]Tool{{Name: "a", Count: Count{1000, 1000}}}, 51)}, "tools: asks for 51000 calls", "there is a limit"},
		{"several faults", s{Tools: []Tool{{}, {Name: "b", Count: Count{3, 2}}}, MaxCalls: new(-1)},
			"tools[0].name: must\ntools[1].count: max\nmax_calls: must", "all are reported at once, in order"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, err := NewExpectation(tc.settings)
			if err == nil || e != nil {
				t.Fatalf("got %v, %v: %s", e, err, tc.reason)
			}
			var fault Fault
			if !errors.As(err, &fault) {
				t.Errorf("%T has no Fault in it", err)
			}
			got := strings.Split(err.Error(), "\n")
			want := strings.Split(tc.faults, "\n")
			if !slices.EqualFunc(got, want, func(g, w string) bool { return strings.HasPrefix(": "+g, w) || strings.HasPrefix(g, w) }) {
				t.Errorf("got %q, want what begins with %q: %s", got, want, tc.reason)
			}
		})
	}
}

func TestNewExpectationAccepts(t *testing.T) {
	type s = ExpectationSettings
	for _, tc := range []struct {
		name     string
		settings s
		reason   string
	}{
		{"no tool", s{Tools: []Tool{}}, "explicitly empty: no tool is expected"},
		{"forbidden only", s{Forbidden: tools("rm")}, "that can be measured"},
		{"max_calls only", s{MaxCalls: new(3)}, "that can be measured"},
		{"required and forbidden with other arguments", s{Tools: tools("pay"), Forbidden: []Tool{{Name: "pay", Arguments: JSON(`{"to":"me"}`)}}}, "it can be called with others"},
		{"one alternative forbidden", s{Tools: []Tool{{Names: []string{"a", "b"}}}, Forbidden: tools("a")}, "b is left"},
		{"optional and forbidden", s{Tools: []Tool{{Name: "a", Optional: true}}, Forbidden: tools("a")}, "it need not be called"},
		{"any number", s{Tools: []Tool{{Name: "a", Count: Count{0, Unlimited}}}}, "none to many"},
		{"optional several times", s{Tools: []Tool{{Name: "a", Optional: true, Count: Count{0, 3}}}}, "said twice, but not contradicted"},
	} {
		if _, err := NewExpectation(tc.settings); err != nil {
			t.Errorf("%s is refused: %v; %s", tc.name, err, tc.reason)
		}
	}
}

func TestExpectationNames(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: []Tool{
		{Name: "a", Count: Count{2, 5}}, {Names: []string{"b", "c"}}, {Name: "d*"}, {Name: "e", Optional: true},
	}})
	if diff := cmp.Diff([]string{"a", "a", "b|c", "d*"}, e.Names()); diff != "" {
		t.Error(diff)
	}
	if e.Only(0) != e || e.Only(-1) != e || e.Only(1) != e {
		t.Error("an expectation with one list has no other")
	}
}

func TestExpectationOnly(t *testing.T) {
	several := expectation(t, ExpectationSettings{AnyOf: [][]Tool{tools("a b"), tools("x y")}, Forbidden: tools("rm")})
	v := native(t, nil).Judge(several, called("x rm"))
	if v.Alignment.List != 1 {
		t.Fatalf("list %d counted, want 1", v.Alignment.List)
	}
	only := several.Only(v.Alignment.List)
	if diff := cmp.Diff([]string{"x", "y"}, only.Names()); diff != "" {
		t.Error(diff)
	}
	missing, unexpected := NameDiff(only, called("x rm"))
	if diff := cmp.Diff([][]string{{"y"}, {"rm"}}, [][]string{missing, unexpected}); diff != "" {
		t.Error(diff)
	}
	if again := native(t, nil).Judge(only, called("x rm")); again.Score != 0 || len(again.Alignment.Forbidden) != 1 {
		t.Error("what is forbidden is forbidden in each list")
	}
}

func TestExpectationTools(t *testing.T) {
	if e := expectation(t, ExpectationSettings{Forbidden: tools("rm")}); e.Tools() != nil {
		t.Error("no list became a list")
	}
	if e := expectation(t, ExpectationSettings{Tools: []Tool{}}); e.Tools() == nil {
		t.Error("an empty list became no list")
	}
	list := []Tool{{Names: []string{"a"}}}
	e := expectation(t, ExpectationSettings{Tools: list})
	list[0].Names[0] = "changed"
	if got := e.Tools()[0].Names[0]; got != "a" {
		t.Errorf("the caller changed an expectation to %q after it was checked", got)
	}
}

func TestExpectationNativeOnly(t *testing.T) {
	for _, tc := range []struct {
		settings ExpectationSettings
		want     []string
	}{
		{ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("{}")}}}, nil},
		{ExpectationSettings{Tools: []Tool{{Names: []string{"a"}}}}, []string{"any_of"}},
		{ExpectationSettings{AnyOf: [][]Tool{tools("a")}}, []string{"any_of"}},
		{ExpectationSettings{Tools: []Tool{{Name: "a", Count: Count{1, 2}}}}, []string{"count"}},
		{ExpectationSettings{Tools: []Tool{{Name: "a", Optional: true}}}, []string{"optional"}},
		{ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("1"), Match: ArgumentsExact}}}, []string{"arguments_match"}},
		{ExpectationSettings{Tools: tools("a*")}, []string{"*"}},
		{ExpectationSettings{Tools: tools("a"), Forbidden: tools("b"), MaxCalls: new(3)}, []string{"forbidden", "max_calls"}},
	} {
		if got := expectation(t, tc.settings).NativeOnly(); !slices.Equal(got, tc.want) {
			t.Errorf("%+v uses %q, want %q", tc.settings, got, tc.want)
		}
	}
}

func TestExpectationCompares(t *testing.T) {
	for _, tc := range []struct {
		settings          ExpectationSettings
		arguments, output bool
		reason            string
	}{
		{ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("1"), Output: JSON("1")}}}, false, false, "the metric decides"},
		{ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("1"), Match: ArgumentsExact}}}, true, false, "the tool decides"},
		{ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("1"), Match: ArgumentsIgnore}}}, false, false, "the tool decides"},
		{ExpectationSettings{Forbidden: []Tool{{Name: "a", Arguments: JSON("1")}}}, true, false, "what is forbidden is always compared"},
		{ExpectationSettings{Forbidden: []Tool{{Name: "a", Output: JSON("1")}}}, false, true, "what is forbidden is always compared"},
	} {
		if arguments, output := expectation(t, tc.settings).Compares(); arguments != tc.arguments || output != tc.output {
			t.Errorf("%+v compares %v, %v: %s", tc.settings, arguments, output, tc.reason)
		}
	}
}

func TestNameDiff(t *testing.T) {
	type s = ExpectationSettings
	type diff = func(*Expectation, []Call) (missing, unexpected []string)
	type row struct {
		name                string
		settings            s
		called              string
		missing, unexpected string
		reason              string
	}
	lists := []row{
		{"a multiset", s{Tools: tools("a a b")}, "a b z z", "a", "z z", "each as often as it is so"},
		{"in order", s{Tools: tools("c a b")}, "z y", "c a b", "z y", "of the lists"},
		{"a glob takes one", s{Tools: tools("get_*")}, "get_a get_b", "", "get_b", "a tool is one call unless it has a count"},
		{"alternatives", s{Tools: []Tool{{Names: []string{"a", "b"}}, {Name: "a"}}}, "a", "a", "", "the first tool takes it"},
		{"a count", s{Tools: []Tool{{Name: "a", Count: Count{2, 3}}}}, "a a a a", "", "a", "up to three"},
		{"a missing count", s{Tools: []Tool{{Name: "a", Count: Count{2, 3}}}}, "", "a a", "", "at least two"},
		{"optional", s{Tools: []Tool{{Name: "a", Optional: true}}}, "a a", "", "a", "welcome once, missed never"},
		{"payloads do not matter", s{Tools: []Tool{{Name: "a", Arguments: JSON("1"), Match: ArgumentsExact}}}, "a", "", "", "names alone"},
		{"the nearest list", s{AnyOf: [][]Tool{tools("a b c"), tools("x y")}}, "x a", "y", "a", "one missing is less than two"},
		{"the first of the lists is the nearest", s{AnyOf: [][]Tool{tools("a b"), tools("x y z")}}, "a q x", "b", "q x", "the others are tried, and forgotten"},
		{"nothing expected", s{Tools: []Tool{}}, "a", "", "a", "so everything is unexpected"},
		{"exactly", s{Tools: tools("a b a")}, "a b a", "", "", "every call is the expected one"},
		{"exactly but for an optional tool", s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}, {Name: "c"}}}, "a c", "", "", "missed never"},
		{"the label of alternatives", s{Tools: []Tool{{Names: []string{"a", "b"}}}}, "a|b", "a|b", "a|b", "the call has neither name"},
	}
	sets := []row{
		{"expected twice, called once", s{Tools: tools("a a b")}, "a", "b", "", "a set has one a"},
		{"called twice, expected once", s{Tools: tools("a")}, "a a", "", "", "a set has one a"},
		{"wrong calls again and again", s{Tools: tools("a")}, "z y z", "a", "z y", "each name once, in order"},
		{"missing twice", s{Tools: tools("a a")}, "", "a", "", "each name once"},
		{"a count", s{Tools: []Tool{{Name: "a", Count: Count{Min: 3, Max: 3}}}}, "a", "", "", "sets do not count"},
		{"alternatives and globs", s{Tools: []Tool{{Names: []string{"a", "b*"}}, {Name: "c*"}}}, "bc d", "c*", "d", "any name of a tool is enough"},
		{"optional", s{Tools: []Tool{{Name: "a", Optional: true}, {Name: "b", Optional: true}}}, "a", "", "", "b may be missing, and a is expected"},
		{"several lists", s{AnyOf: [][]Tool{tools("a b"), tools("c")}}, "c z", "", "z", "the list with the fewest missing names"},
	}
	for name, of := range map[string]struct {
		diff diff
		rows []row
	}{"lists": {NameDiff, lists}, "sets": {NameDiffOfSets, sets}} {
		for _, tc := range of.rows {
			t.Run(name+"/"+tc.name, func(t *testing.T) {
				missing, unexpected := of.diff(expectation(t, tc.settings), called(tc.called))
				if m, u := strings.Join(missing, " "), strings.Join(unexpected, " "); m != tc.missing || u != tc.unexpected {
					t.Errorf("got %q and %q, want %q and %q: %s", m, u, tc.missing, tc.unexpected, tc.reason)
				}
			})
		}
		if missing, unexpected := of.diff(nil, called("a")); missing != nil || len(unexpected) != 1 {
			t.Errorf("%s without an expectation: %q, %q", name, missing, unexpected)
		}
	}
}

func TestWords(t *testing.T) {
	checkWords[Order](t)
	checkWords[ArgumentMode](t)
	checkWords[Credit](t)
	checkWords[OutputMode](t)
	checkWords[Measure](t)
	checkWords[ExtraCalls](t)
	checkWords[Repeats](t)
	checkWords[Concurrent](t)
	checkWords[Uncaptured](t)
}

// checkWords: each word of an option is read as itself, and no other text is.
func checkWords[T Option](t *testing.T) {
	t.Helper()
	for _, word := range append(Words[T](), "", "Any", "exact ", "unwritten") {
		if x, ok := Parse[T](word); ok != slices.Contains(Words[T](), word) || ok && x.String() != word {
			t.Errorf("%q is read as %q, %v", word, x, ok)
		}
	}
}

func TestParseExpectation(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{`["a", {"name": "b", "arguments": {"x": 1.0}}]`, `a null null b {"x": 1.0} null`, "payloads are kept as they are written"},
		{`[{"name": "b", "output": null}]`, "b null null", "null is given"},
		{`null`, "it is not a JSON array", "no list"},
		{`[7]`, "element 0 is neither", "a number is no name"},
		{`["a", {"name": "b", "secret": 1}]`, "element 1 is neither", "an unknown key"},
	} {
		e, err := ParseExpectation(tc.text)
		var parts []string
		if err == nil {
			for _, tool := range e.Tools() {
				parts = append(parts, tool.Name, string(tool.Arguments.AppendJSON(nil)), string(tool.Output.AppendJSON(nil)))
			}
		}
		got := strings.Join(parts, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tc.want) || strings.Contains(got, "secret") {
			t.Errorf("%s is %q, want %q: %s", tc.text, got, tc.want, tc.reason)
		}
	}
}

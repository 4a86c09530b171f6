package scoring

import (
	"slices"
	"strings"
	"testing"
)

// said is a run, and the reason of its verdict.
type said struct {
	name     string
	options  func(*NativeOptions)
	settings ExpectationSettings
	calls    []Call
	want     string
	reason   string
}

func checkSaid(t *testing.T, rows []said) {
	t.Helper()
	for _, tc := range rows {
		t.Run(tc.name, func(t *testing.T) {
			v := judgeWhere(t, native(t, tc.options), tc.settings, tc.calls)
			if got := v.Reason(ReasonOptions{}); got != tc.want {
				t.Errorf("got  %s\nwant %s\n%s", got, tc.want, tc.reason)
			}
			checkJudged(t, v)
		})
	}
}

func TestReason(t *testing.T) {
	type s = ExpectationSettings
	refund := func(arguments string) Tool { return Tool{Name: "refund", Arguments: JSON(arguments)} }
	exact := func(o *NativeOptions) { o.Arguments = ArgumentsExact }
	checkSaid(t, []said{
		{"all", nil, s{Tools: tools("a b")}, called("b a"), "Passed: both expected calls were made.", "nothing to mend"},
		{"one", nil, s{Tools: tools("a")}, called("a"), "Passed: the expected call was made.", "one is not all"},
		{"all in order", func(o *NativeOptions) { o.Order = InOrder }, s{Tools: tools("a b")}, called("a b"),
			"Passed: both expected calls were made in order.", "the order was asked for"},
		{"none expected, none made", nil, s{Tools: []Tool{}}, nil, "Passed: no calls were expected and none were made.", "nothing to mend"},
		{"none expected", nil, s{Tools: []Tool{}}, called("x x y"), "Passed: no calls were expected; not expected: x (2 times), y.", "extra calls are counted by name"},
		{"good but extra", nil, s{Tools: tools("a b")}, called("a x b x x"), "Passed: both expected calls were made; not expected: x (3 times).", "extra calls come last"},
		{"missing", nil, s{Tools: tools("a b a c")}, called("b"), "Failed: missing a (2 times), c. 1 of 4 expected calls matched.", "by name, in order"},
		{"missing alternatives", nil, s{Tools: []Tool{{Names: []string{"a", "b"}}, {Name: "c*"}}}, nil, "Failed: missing a|b, c*. No calls were made, 2 were expected.", "as they are written"},
		{"wrong arguments", exact, s{Tools: []Tool{refund(`{"amount":1,"to":{"code":"EUR"},"lines":[{"sku":"a","n":1}],"odd key":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"amount":2,"to":{"code":"USD"},"lines":[{"sku":"b","n":1}],"more":1}`)}},
			`Failed: wrong arguments: refund (amount, to.code, lines[0].sku, ["odd key"], 1 unexpected key). 0 of 1 expected calls matched.`, "each path where they differ"},
		{"extra keys under subset", func(o *NativeOptions) { o.Arguments = ArgumentsSubset }, s{Tools: []Tool{refund(`{"amount":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"amount":2,"more":1}`)}},
			`Failed: wrong arguments: refund (amount). 0 of 1 expected calls matched.`, "other keys are free, so they are no difference"},
		{"missing keys under superset", func(o *NativeOptions) { o.Arguments = ArgumentsSuperset }, s{Tools: []Tool{refund(`{"amount":1,"x":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"amount":2}`)}},
			`Failed: wrong arguments: refund (amount). 0 of 1 expected calls matched.`, "keys may be missing, so they are no difference"},
		{"a share of the arguments", func(o *NativeOptions) { o.Arguments = ArgumentsPartial }, s{Tools: []Tool{refund(`{"a":1,"b":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"a":1,"b":2}`)}},
			`Passed: 0 of 1 expected calls matched in full; wrong arguments: refund (b).`, "a pair that does not agree in full is a finding"},
		{"the nearest of several calls", exact, s{Tools: []Tool{refund(`{"a":1,"b":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"a":2,"b":2}`)}, {Name: "refund", Arguments: JSON(`{"a":1,"b":2}`)}},
			`Failed: wrong arguments: refund (b). 0 of 1 expected calls matched; not expected: refund.`, "the one that differs least was meant"},
		{"the nearest, and then the next", exact, s{Tools: []Tool{refund(`{"x":1,"y":1}`), refund(`{"x":1,"y":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"p":9,"q":9}`)}, {Name: "refund", Arguments: JSON(`{"x":1}`)}},
			`Failed: wrong arguments: refund (y), refund (x, y, 2 unexpected keys). 0 of 2 expected calls matched.`, "no call explains two tools"},
		{"an array under subset", func(o *NativeOptions) { o.Arguments = ArgumentsSubset }, s{Tools: []Tool{refund(`{"l":[{"a":1}]}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"l":[{"a":1,"b":2}],"c":3}`)}},
			`Failed: wrong arguments: refund (1 unexpected key in l[0]). 0 of 1 expected calls matched.`, "arrays compare as a whole, c does not matter"},
		{"arguments that are no object", exact, s{Tools: []Tool{refund(`{"a":1}`)}}, []Call{{Name: "refund", Arguments: Text("x")}},
			`Failed: wrong arguments: refund. 0 of 1 expected calls matched.`, "there is no path to name"},
		{"wrong output", func(o *NativeOptions) { o.Output = OutputSubset }, s{Tools: []Tool{{Name: "a", Output: JSON(`{"ok":true}`)}}},
			[]Call{{Name: "a", Output: JSON(`{"ok":false,"more":1}`)}}, `Failed: wrong output: a (ok). 0 of 1 expected calls matched.`, "the arguments were right"},
		{"out of order", func(o *NativeOptions) { o.Order = InOrder }, s{Tools: tools("a b c")}, called("b c a"),
			"Passed: 2 of 3 expected calls matched; out of order: a (must come before b).", "it was called, but too late"},
		{"wrong length", func(o *NativeOptions) { o.Order = ExactOrder }, s{Tools: tools("a b")}, called("a b c"),
			"Failed: 3 calls were made, exactly 2 are expected, so the score is 0. Both expected calls were made in order; not expected: c.", "otherwise the reason would not explain the score of 0"},
		{"no place", func(o *NativeOptions) { o.Order = ExactOrder }, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}}}, called("a c"),
			"Failed: not expected: c; the calls do not follow the expected ones position by position. The expected call was made.", "what is wrong, and why it makes the score 0"},
		{"no place for what is missing", func(o *NativeOptions) { o.Order = ExactOrder }, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}, {Name: "d"}}}, called("a"),
			"Failed: missing d; the calls do not follow the expected ones position by position. 1 of 2 expected calls matched.", "what to mend comes first"},
		{"exact, and nothing was called", func(o *NativeOptions) { o.Order = ExactOrder }, s{Tools: tools("a b")}, nil,
			"Failed: missing a, b. No calls were made, 2 were expected.", "once is enough"},
		{"exact, and nothing was expected", func(o *NativeOptions) { o.Order = ExactOrder }, s{Tools: []Tool{}}, called("a"),
			"Failed: not expected: a. No calls were expected.", "once is enough"},
		{"a forbidden call where no others are allowed", func(o *NativeOptions) { o.ExtraCalls = ForbidExtraCalls }, s{Tools: tools("a b"), Forbidden: tools("rm")}, called("rm a"),
			"Failed: a forbidden call was made: rm, so the score is 0. 1 of 2 expected calls matched; missing b.", "that it is an extra call, too, is no news"},
		{"names with spaces around", nil, s{Tools: []Tool{{Name: " a"}}}, []Call{{Name: "a "}},
			`Failed: missing " a". 0 of 1 expected calls matched; not expected: "a ".`, "otherwise the difference would not be visible"},
		{"extra calls forbidden", func(o *NativeOptions) { o.ExtraCalls = ForbidExtraCalls }, s{Tools: tools("a")}, called("a b"),
			"Failed: not expected: b; no other calls are allowed, so the score is 0. The expected call was made.", "otherwise the reason would not explain the score of 0"},
		{"forbidden", nil, s{Tools: tools("a b"), Forbidden: tools("rm")}, called("rm a rm z"),
			"Failed: forbidden calls were made: rm (2 times), so the score is 0. 1 of 2 expected calls matched; missing b; not expected: z.", "the worst comes first"},
		{"too many", nil, s{Tools: tools("a"), MaxCalls: new(1)}, called("a a"),
			"Failed: 2 calls were made, at most 1 is allowed, so the score is 0. The expected call was made; not expected: a.", "otherwise the reason would not explain the score of 0"},
		{"optional", nil, s{Tools: []Tool{{Name: "a"}, {Name: "b", Optional: true}}}, called("b"),
			"Failed: missing a. 0 of 1 expected calls matched.", "optional tools are not counted"},
		{"collapsed", func(o *NativeOptions) { o.Repeats = CollapseRepeats }, s{Tools: tools("a")}, called("a a a"),
			"Passed: the expected call was made.", "a repeat that does not count is not unexpected"},
		{"everything", func(o *NativeOptions) { o.Order, o.Arguments = InOrder, ArgumentsExact },
			s{Tools: []Tool{{Name: "a"}, {Name: "b"}, refund(`{"x":1}`), {Name: "m"}, {Name: "c"}}},
			append(called("b a c z"), Call{Name: "refund", Arguments: JSON(`{"x":2}`)}),
			"Failed: missing m; wrong arguments: refund (x); out of order: a (must come before b). 2 of 5 expected calls matched; not expected: z.", "in the order of mending"},
		{"not captured", exact, s{Tools: []Tool{refund(`{}`)}}, called("refund"),
			`Not scored: arguments of "refund" were not captured.`, "not scored: the why"},
		{"hostile names", nil, s{Tools: tools("a\xff")}, []Call{{Name: "x\ny\u202e\x00"}, {}},
			`Failed: missing a\xff. 0 of 1 expected calls matched; not expected: x\ny\u202e\x00, "".`, "one line, valid, nothing hidden"},
		{"a forbidden call, once", nil, s{Tools: tools("a"), Forbidden: tools("rm")}, called("a rm"),
			"Failed: a forbidden call was made: rm, so the score is 0. The expected call was made.", "what made the score 0 comes first"},
		{"two calls of one tool", nil, s{Tools: tools("a a")}, called("a a"), "Passed: 2 of 2 expected calls were made.", "both of what?"},
		{"two calls of one tool, and a third", nil, s{Tools: tools("a a")}, called("a a a"), "Passed: 2 of 2 expected calls were made; not expected: a.", "both of what?"},
		{"more than its count, for free", nil, s{Tools: []Tool{{Name: "get_weather", Count: Count{1, 2}}}}, called("get_weather get_weather get_weather"),
			"Passed: the expected call was made; get_weather: 3 calls, at most 2.", "the limit has figures"},
		{"more than its count", func(o *NativeOptions) { o.ExtraCalls = ForbidExtraCalls }, s{Tools: []Tool{{Name: "get_weather", Count: Count{1, 2}}}}, called("get_weather x get_weather get_weather"),
			"Failed: get_weather: 3 calls, at most 2; not expected: x; no other calls are allowed, so the score is 0. The expected call was made.", "the limit that was broken comes first"},
		{"more than a glob's count", func(o *NativeOptions) { o.Score, o.Threshold = Precision, 0.9 }, s{Tools: []Tool{{Name: "get_*", Count: Count{1, 2}}}}, called("get_a get_b get_c"),
			"Failed: get_*: 3 calls, at most 2. The expected call was made.", "the glob is what has the limit"},
		{"a count beside another tool of the name", func(o *NativeOptions) { o.Score, o.Threshold = Precision, 0.9 }, s{Tools: []Tool{{Name: "a"}, {Name: "a", Count: Count{1, 2}}}}, called("a a a a"),
			"Failed: not expected: a. 2 of 2 expected calls were made.", "no one tool's limit was broken"},
		{"precision", func(o *NativeOptions) { o.Score = Precision }, s{Tools: tools("a b")}, called("a x y"),
			"Failed: missing b; not expected: x, y. 1 of 2 expected calls matched.", "extra calls cost"},
		{"too many of one", nil, s{Tools: tools("a"), MaxCalls: new(2)}, called("a z z z"),
			"Failed: 4 calls were made, at most 2 are allowed, so the score is 0. The expected call was made; not expected: z (3 times).", "the limit that was broken comes first"},
		{"one instead of two", func(o *NativeOptions) { o.Order = ExactOrder }, s{Tools: tools("a b")}, called("a"),
			"Failed: 1 call was made, exactly 2 are expected, so the score is 0. 1 of 2 expected calls matched; missing b.", "figures agree with their nouns"},
		{"a leftover of the right name", func(o *NativeOptions) { o.Arguments, o.ExtraCalls = ArgumentsExact, ForbidExtraCalls }, s{Tools: []Tool{{Name: "a"}, refund(`{"x":1}`)}},
			append(called("a"), Call{Name: "refund", Arguments: JSON(`{"x":2}`)}),
			"Failed: wrong arguments: refund (x); no other calls are allowed, so the score is 0. 1 of 2 expected calls matched.", "the call that is left over is the one with wrong arguments"},
		{"everything goes", func(o *NativeOptions) { o.Threshold = 0 }, s{Tools: tools("a"), Forbidden: tools("rm")}, called("rm"),
			"Passed, since the threshold is 0: a forbidden call was made: rm, so the score is 0. 0 of 1 expected calls matched; missing a.", "otherwise a reader would expect that it failed"},
		{"keys that only the call has", exact, s{Tools: []Tool{refund(`{"to":{"a":1},"n":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"to":{"a":1,"ann@example.org":2},"n":1,"p":1,"q":2}`)}},
			`Failed: wrong arguments: refund (1 unexpected key in to, 2 unexpected keys). 0 of 1 expected calls matched.`, "keys may be private, too"},
		{"very many such keys", exact, s{Tools: []Tool{refund(`{"n":1}`)}},
			[]Call{{Name: "refund", Arguments: JSON(`{"n":2,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`)}},
			`Failed: wrong arguments: refund (n, 11 unexpected keys). 0 of 1 expected calls matched.`, "all are counted"},
		{"a call without a name", nil, s{Tools: []Tool{{Names: []string{"a", "b"}}}}, []Call{{}},
			`Failed: missing a|b. 0 of 1 expected calls matched; not expected: "".`, "no alternative is empty"},
		{"many", nil, s{Tools: tools("a b c d e f g h i j")}, nil,
			"Failed: missing a, b, c, d, e, f, g, h and 2 more. No calls were made, 10 were expected.", "lists are short"},
		{"many, again and again", nil, s{Tools: slices.Repeat(toolsOf(numbered("%d", 20)), 2)}, nil,
			"Failed: missing 0 (2 times), 1 (2 times), 2 (2 times), 3 (2 times), 4 (2 times), 5 (2 times), 6 (2 times), 7 (2 times) and 12 more. " +
				"No calls were made, 40 were expected.", "each name is one finding, however many there are"},
	})
}

func TestReasonWithValues(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON(
		`{"n":1.50,"s":"x","gone":null,"b":true,"list":[1,2],"o":{"k":1}}`)}}})
	v := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsExact }).Judge(e, []Call{{Name: "a", Arguments: JSON(
		`{"n":2e3,"s":"secret ` + strings.Repeat("y", 100) + `","new":"z\n","b":false,"list":[1],"o":"k"}`)}})
	want := `Failed: wrong arguments: a (n: 2e3 instead of 1.50, s: "secret ` + strings.Repeat("y", 30) +
		`…" instead of "x", gone: nothing instead of null, b: false instead of true, list: an array of 1 instead of an array of 2, ` +
		`o: "k" instead of an object of 1, new: "z\n" instead of nothing). 0 of 1 expected calls matched.`
	if got := v.Reason(ReasonOptions{Values: true}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := v.Reason(ReasonOptions{}); strings.Contains(got, "secret") || strings.Contains(got, "1.50") {
		t.Errorf("%s quotes values without annotate.values", got)
	}
}

// Other methods make alignments that the native method never makes.
func TestReasonOfOtherMethods(t *testing.T) {
	a, typed := &Tool{Name: "a"}, &Tool{Name: "a", Type: MCPTool}
	equal := &Tool{Name: "a", Arguments: JSON(`{"x":[1]}`)}
	for _, tc := range []struct {
		name      string
		alignment Alignment
		want      string
		reason    string
	}{
		{"a repeat that is not counted", Alignment{Expected: []*Tool{a, a}, Called: called("a a"), Pairs: []Pair{{Expected: 0, Called: 0, Credit: 1}}},
			"Passed: 1 of 2 expected calls matched; repeated call counted once: a.", "DeepEval distinguishes calls by value"},
		{"another type", Alignment{Expected: []*Tool{typed}, Called: called("a"), ComparesType: true},
			"Passed: 0 of 1 expected calls matched; wrong type: a.", "name and arguments are right"},
		{"equal to us", Alignment{Expected: []*Tool{equal}, Called: []Call{{Name: "a", Arguments: JSON(`{"x":[1.0]}`)}}, ComparesArguments: true},
			"Passed: 0 of 1 expected calls matched; wrong arguments: a.", "EvalSharp takes no list for equal to another"},
		{"arguments that are not expected", Alignment{Expected: []*Tool{a}, Called: []Call{{Name: "a", Arguments: JSON(`{"x":1}`)}}, ComparesArguments: true},
			"Passed: 0 of 1 expected calls matched; wrong arguments: a (1 unexpected key).", "to a reference method, none is a value"},
		{"a note", Alignment{Expected: []*Tool{a}, Called: called("a"), Pairs: []Pair{{Credit: 1}}, Notes: []string{"first", "second"}},
			"Passed: the expected call was made; first; second.", "notes come last"},
		{"a rule that was broken", Alignment{Expected: []*Tool{a}, Called: called("a"), Pairs: []Pair{{Credit: 1}}, Broken: []BrokenRule{{Text: "a rule was broken", Call: -1}}, Notes: []string{"a note"}},
			"Passed, since the threshold is 0.5: a rule was broken, so the score is 0. The expected call was made; a note.", "it stands before all that is well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := scored(0.5, 0.5, tc.alignment).Reason(ReasonOptions{}); got != tc.want {
				t.Errorf("got  %s\nwant %s\n%s", got, tc.want, tc.reason)
			}
		})
	}
}

func TestReasonIsShort(t *testing.T) {
	long := strings.Repeat("é", 5000)
	var list []Tool
	var calls []Call
	for i := range 100 {
		arguments := strings.Builder{}
		for j := range 20 {
			arguments.WriteString(`,"` + long[:2*j] + strings.Repeat("k", 60) + `":1`)
		}
		name := long[:100+2*i]
		list = append(list, Tool{Name: name, Arguments: JSON("{" + arguments.String()[1:] + "}")})
		calls = append(calls, Call{Name: name, Arguments: JSON("{}")})
	}
	v := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsExact }).Judge(expectation(t, ExpectationSettings{Tools: list}), calls)
	checkJudged(t, v)
	if got := v.Reason(ReasonOptions{}); len(got) < maxReason-4 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes, ending in %q: want as much as fits and an ellipsis", len(got), got[len(got)-8:])
	}
	v.Status, v.Why = Failed, long
	if got := v.Reason(ReasonOptions{}); len(got) > maxReason {
		t.Errorf("the why of %d bytes is not cut", len(got))
	}
	if got := (Verdict{Status: Undefined}).Reason(ReasonOptions{}); got != "Not scored: undefined." {
		t.Errorf("without a why the reason is %q", got)
	}
}

// FuzzReason explains alignments that no method makes, with hostile names and payloads.
func FuzzReason(f *testing.F) {
	f.Add([]byte{}, "a", `{"x":1}`, `{"x":2}`)
	f.Add([]byte{3, 3, 1, 1, 1, 0, 0, 5}, "a\nb\xff", `{"\n":[1,{"k":"v"}]}`, "{bad")
	f.Add([]byte{4, 4, 0, 1, 0, 1, 1, 1, 2, 2, 1}, strings.Repeat("\u202e", 400), `[1,2]`, `[1,3]`)
	f.Fuzz(func(t *testing.T, data []byte, name, x, y string) {
		d := &dice{data}
		payloads := []Payload{JSON(x), JSON(y), Text(x), {}, Omitted(), TooLarge()}
		names := []string{name, "a", x, "a*"}
		a := Alignment{
			Ordered: d.chance(2), ComparesArguments: d.chance(2), ComparesOutput: d.chance(2), ComparesType: d.chance(2),
			Arguments: ArgumentMode(d.below(7)), Output: OutputMode(d.below(3)),
		}
		for range d.below(6) {
			a.Expected = append(a.Expected, &Tool{Name: pick(d, names), Arguments: pick(d, payloads), Output: pick(d, payloads)})
		}
		for range d.below(6) {
			a.Called = append(a.Called, Call{Name: pick(d, names), Arguments: pick(d, payloads), Output: pick(d, payloads)})
		}
		for i := range min(len(a.Expected), len(a.Called)) {
			switch d.below(4) {
			case 0:
				a.Pairs = append(a.Pairs, Pair{Expected: i, Called: i, Credit: 1})
			case 1:
				a.Pairs = append(a.Pairs, Pair{Expected: i, Called: i, Credit: 0.5})
			case 2:
				a.Forbidden = append(a.Forbidden, i)
			}
		}
		v := scored(0.5, 0.5, a)
		for _, o := range []ReasonOptions{{}, {Values: true}} {
			reason := v.Reason(o)
			checkReason(t, reason)
			if again := v.Reason(o); again != reason {
				t.Errorf("one verdict, two reasons: %q and %q", reason, again)
			}
		}
	})
}

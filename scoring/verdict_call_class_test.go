package scoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// checkClasses: the classes of calls agree with the pairs and the reason.
func checkClasses(t *testing.T, v Verdict) {
	t.Helper()
	said := v.OfCalls()
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
	for _, c := range v.OfCalls() {
		text := c.Class.String()
		if c.Credit > 0 {
			text += fmt.Sprintf(" %.3g", c.Credit)
		}
		said = append(said, text)
	}
	return strings.Join(said, ", ")
}

// Every method gives each call a class.
func TestCallClasses(t *testing.T) {
	type s = ExpectationSettings
	tool := func(arguments string) Tool { return Tool{Name: "a", Arguments: JSON(arguments)} }
	call := func(name, arguments string) Call { return Call{Name: name, Arguments: JSON(arguments)} }
	nativeWith := func(change func(*NativeOptions)) Method { return native(t, change) }
	arguments := func(m ArgumentMode) Method { return nativeWith(func(o *NativeOptions) { o.Arguments = m }) }
	order := func(order Order) Method { return nativeWith(func(o *NativeOptions) { o.Order = order }) }
	deepEval := func(change func(*DeepEvalOptions)) Method {
		o := DefaultDeepEval()
		o.EvaluationParams = []string{"input_parameters"}
		change(&o)
		return must(NewDeepEval(o))
	}
	xy, x := tool(`{"x":1,"y":1}`), `{"x":1}`
	for _, tc := range []struct {
		name     string
		method   Method
		settings s
		calls    []Call
		want     string
		reason   string
	}{
		{"names", native(t, nil), s{Tools: tools("a b")}, called("b x a"), "matched 1, unexpected, matched 1", "x is not expected"},
		{"nothing expected", native(t, nil), s{Tools: []Tool{}}, called("x"), "unexpected", "no tool is expected that it could match"},
		{"a part of the arguments", arguments(ArgumentsPartial), s{Tools: []Tool{xy}}, []Call{call("a", x)}, "partly_matched 0.5", "one key of two"},
		{"other arguments", arguments(ArgumentsExact), s{Tools: []Tool{xy}}, []Call{call("a", x), call("a", `{"z":1}`), call("b", x)},
			"mismatched, unexpected, unexpected", "the nearest one was meant, and one tool explains one call"},
		{"another output", nativeWith(func(o *NativeOptions) { o.Output = OutputExact }), s{Tools: []Tool{{Name: "a", Output: JSON("1")}}},
			[]Call{{Name: "a", Output: JSON("2")}}, "mismatched", "it returned something else"},
		{"in order", order(InOrder), s{Tools: tools("a b c")}, called("b c a"), "matched 1, matched 1, out_of_order", "a came too late"},
		{"exact order", order(ExactOrder), s{Tools: tools("a b")}, called("b a"), "out_of_order, out_of_order", "neither is where it was expected"},
		{"an optional tool", native(t, nil), s{Tools: []Tool{{Name: "a", Optional: true}}}, called("a"), "matched 1", "it may be called"},
		{"a forbidden call", native(t, nil), s{Tools: tools("a"), Forbidden: tools("rm")}, called("rm a"), "forbidden, matched 1", "the other one is right all the same"},
		{"a repeat", nativeWith(func(o *NativeOptions) { o.Repeats = CollapseRepeats }), s{Tools: tools("a")}, called("a a b a"),
			"matched 1, repeated, unexpected, unexpected", "only stretches collapse"},
		{"the list that fits best", native(t, nil), s{AnyOf: [][]Tool{tools("a"), tools("b c")}}, called("b c"), "matched 1, matched 1", "the other list does not count"},
		{"arguments that were not captured", arguments(ArgumentsExact), s{Tools: []Tool{xy}}, called("a"), "", "the run has no score"},
		{"not captured, and 0 all the same", arguments(ArgumentsExact), s{Tools: []Tool{xy, {Name: "b"}}, Forbidden: tools("rm")}, called("rm a b"),
			"forbidden, uncertain, uncertain", "whether a was right is not known, and so are the other matches"},
		{"output that was not captured, and 0 all the same", nativeWith(func(o *NativeOptions) { o.Output = OutputExact }),
			s{Tools: []Tool{{Name: "a", Output: JSON("1")}}, Forbidden: tools("rm")}, called("a rm"), "uncertain, forbidden", "for the same reason"},

		{"a guess takes the place of what is certain", arguments(ArgumentsExact), s{Tools: []Tool{tool(x)}, Forbidden: tools("rm")},
			[]Call{{Name: "a"}, call("a", x), {Name: "rm"}}, "uncertain, uncertain, forbidden", "the first may be as right as the second"},
		{"a list chosen by a guess", arguments(ArgumentsExact), s{AnyOf: [][]Tool{{tool(x)}, tools("b c")}, Forbidden: tools("rm")}, called("a b rm"),
			"uncertain, uncertain, forbidden", "the other list may be the nearer one"},
		{"maybe forbidden, and 0 all the same", nativeWith(func(o *NativeOptions) { o.Score = AllOrNothing }),
			s{Tools: tools("search delete"), Forbidden: []Tool{{Name: "delete", Arguments: JSON(`{"all":true}`)}}}, called("delete"), "uncertain", "its arguments were not captured"},
		{"maybe forbidden beside what is", native(t, nil), s{Tools: tools("delete"), Forbidden: []Tool{{Name: "delete", Arguments: JSON(`{"all":true}`)}, {Name: "rm"}}},
			called("delete rm"), "uncertain, forbidden", "for the same reason"},
		{"evalsharp, exact, keys in another order", must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"input_parameters"}, ShouldExactMatch: true, Threshold: 0.5})),
			s{Tools: []Tool{xy}}, []Call{call("a", `{"y":1,"x":1}`)}, "mismatched", "EvalSharp does not find them alike, and the place is right"},
		{"deepeval, exact, null for an object", deepEval(func(o *DeepEvalOptions) { o.ShouldExactMatch = true }), s{Tools: []Tool{tool("{}")}},
			[]Call{call("a", "null")}, "mismatched", "for the same reason"},

		{"axion", must(NewAxion(DefaultAxion())), s{Tools: tools("a a b")}, called("a x b"), "matched 1, unexpected, matched 1", "greedy by name"},
		{"axion, subset", must(NewAxion(AxionOptions{CheckParameters: true, ParameterMatchingStrategy: "subset", Scoring: "recall"})),
			s{Tools: []Tool{xy}}, []Call{call("a", x)}, "mismatched", "y is missing"},
		{"axion, strict order", must(NewAxion(AxionOptions{StrictOrder: true, ParameterMatchingStrategy: "exact", Scoring: "recall"})),
			s{Tools: tools("a b c")}, called("a c b"), "matched 1, out_of_order, out_of_order", "position by position"},
		{"deepeval", deepEval(func(*DeepEvalOptions) {}), s{Tools: []Tool{xy, {Name: "b"}}}, []Call{call("a", x), call("c", x)}, "partly_matched 0.5, unexpected", "a share of the keys"},
		{"deepeval, a repeat", must(NewDeepEval(DefaultDeepEval())), s{Tools: tools("a a")},
			[]Call{{Name: "a", Arguments: JSON("{}"), Output: JSON("1")}, {Name: "a", Arguments: JSON("{}"), Output: JSON("1")}}, "matched 1, repeated", "identical calls count once"},
		{"deepeval, in order", deepEval(func(o *DeepEvalOptions) { o.ShouldConsiderOrdering = true }), s{Tools: []Tool{tool(x), {Name: "b", Arguments: JSON(x)}}},
			[]Call{call("b", x), call("a", x)}, "out_of_order, matched 1", "the longest common subsequence"},
		{"deepeval, exact, not captured", deepEval(func(o *DeepEvalOptions) { o.ShouldExactMatch = true }), s{Tools: []Tool{{Name: "b"}, tool(x)}},
			called("c a"), "uncertain, uncertain", "the first difference decides, and whether a was right is not known"},
		{"deepeval_multimodal", must(NewDeepEvalMultimodal(DefaultDeepEval())), s{Tools: tools("a b")}, called("b"), "matched 1", "by name"},
		{"evalsharp", must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"input_parameters"}, Threshold: 0.5})), s{Tools: []Tool{xy}},
			[]Call{call("a", x)}, "partly_matched 0.5", "a share of the keys"},
		{"evalsharp, without arguments", must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"input_parameters"}, Threshold: 0.5})), s{Tools: []Tool{tool("{}")}},
			[]Call{call("a", "{}")}, "mismatched", "EvalSharp gives such a pair nothing"},
		{"galtea", must(NewGaltea(DefaultGaltea())), s{Tools: tools("a")}, called("a x a"), "matched 1, unexpected, repeated", "a name counts once"},
		{"eval_lib", must(NewEvalLib(DefaultEvalLib())), s{Tools: tools("a")}, called("a a"), "matched 1, unexpected", "one tool, one call"},
		{"eval_lib, in order", must(NewEvalLib(EvalLibOptions{CheckOrdering: true})), s{Tools: tools("a b")}, called("b a"), "out_of_order, matched 1", "the longest common subsequence"},
	} {
		v := tc.method.Judge(expectation(t, tc.settings), tc.calls)
		if got := sayClasses(v); got != tc.want {
			t.Errorf("%s: %q, want %q: %s", tc.name, got, tc.want, tc.reason)
		}
		checkClasses(t, v)
	}
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
		said := v.OfCalls()
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

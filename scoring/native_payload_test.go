package scoring

import "testing"

func TestNativeOutput(t *testing.T) {
	for _, tc := range []struct {
		mode             OutputMode
		expected, called Payload
		score            float64
		reason           string
	}{
		{OutputIgnore, JSON(`{"ok":true}`), JSON(`{"ok":false}`), 1, "not looked at"},
		{OutputExact, JSON(`{"ok":true}`), JSON(`{"ok":true}`), 1, "equal"},
		{OutputExact, JSON(`{"ok":true}`), JSON(`{"ok":true,"n":1}`), 0, "one key too many"},
		{OutputSubset, JSON(`{"ok":true}`), JSON(`{"ok":true,"n":1}`), 1, "other keys are free"},
		{OutputExact, Text("done"), JSON(`"done"`), 1, "a text is a JSON string"},
		{OutputExact, JSON("null"), Omitted(), 1, "no output is null"},
		{OutputExact, JSON("{}"), Omitted(), 0, "for an output, null is not empty"},
		{OutputExact, Text("{bad"), JSON("{bad"), 1, "what is no JSON is a text"},
	} {
		e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Output: tc.expected}}})
		o := DefaultNative()
		o.Output = tc.mode
		if v := judge(t, o, e, []Call{{Name: "a", Output: tc.called}}); v.Status != Scored || v.Score != tc.score {
			t.Errorf("%v of %+v against %+v scores %v (%v): %s", tc.mode, tc.called, tc.expected, v.Score, v.Status, tc.reason)
		}
	}
}

func TestNativeNotEvaluable(t *testing.T) {
	wants := Tool{Name: "a", Arguments: JSON(`{"x":1}`)}
	unknown := Call{Name: "a"}
	for _, tc := range []struct {
		name     string
		options  func(*NativeOptions)
		settings ExpectationSettings
		calls    []Call
		status   Status
		score    float64
		why      string
		reason   string
	}{
		{"not captured", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{Tools: []Tool{wants}}, []Call{unknown},
			NotEvaluable, 0, `arguments of "a" were not captured`, "whether it was right is not known"},
		{"too large", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{Tools: []Tool{wants}}, []Call{{Name: "a", Arguments: TooLarge()}},
			NotEvaluable, 0, `arguments of "a" were too large to be compared`, "never cut and compared"},
		{"output not captured", func(o *NativeOptions) { o.Output = OutputExact }, ExpectationSettings{Tools: []Tool{{Name: "a", Output: JSON("1")}}}, []Call{unknown},
			NotEvaluable, 0, `output of "a" was not captured`, "nor the output"},
		{"wrong without it", func(o *NativeOptions) { o.Arguments, o.Output = ArgumentsExact, OutputExact }, ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("1"), Output: JSON("1")}}},
			[]Call{{Name: "a", Arguments: JSON("2")}}, Scored, 0, "", "no output could make up for the arguments"},
		{"not compared", nil, ExpectationSettings{Tools: []Tool{wants}}, []Call{unknown}, Scored, 1, "", "names are enough"},
		{"another tool's arguments", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{Tools: []Tool{wants}}, []Call{{Name: "b"}},
			Scored, 0, "", "no tool asks for them"},
		{"arguments that no expectation states", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{Tools: tools("a")}, []Call{unknown},
			Scored, 1, "", "any will do"},
		{"subset of nothing", func(o *NativeOptions) { o.Arguments = ArgumentsSubset }, ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("{}")}}}, []Call{unknown},
			Scored, 1, "", "whatever they were, nothing is missing"},
		{"known to have none", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{Tools: []Tool{{Name: "a", Arguments: JSON("{}")}}}, []Call{{Name: "a", Arguments: Omitted()}},
			Scored, 1, "", "omitted is known"},
		{"zero all the same", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{Tools: []Tool{wants}, Forbidden: tools("rm")}, []Call{unknown, {Name: "rm"}},
			Scored, 0, "", "a forbidden call decides"},
		{"perhaps forbidden", nil, ExpectationSettings{Tools: tools("b"), Forbidden: []Tool{wants}}, []Call{{Name: "b"}, unknown},
			NotEvaluable, 0, `arguments of "a" were not captured`, "the call may be the forbidden one"},
		{"forbidden with arguments", nil, ExpectationSettings{Tools: tools("b"), Forbidden: []Tool{wants}}, []Call{{Name: "b"}, {Name: "a", Arguments: JSON(`{"x":1,"y":1}`)}},
			Scored, 0, "", "it has at least what is forbidden"},
		{"forbidden with other arguments", nil, ExpectationSettings{Tools: tools("b"), Forbidden: []Tool{wants}}, []Call{{Name: "b"}, {Name: "a", Arguments: JSON(`{"x":2}`)}},
			Scored, 1, "", "it is not the forbidden one"},
		{"another list decides", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{AnyOf: [][]Tool{{wants}, tools("a")}}, []Call{unknown},
			Scored, 1, "", "no other list could be better"},
		{"another list does not decide", func(o *NativeOptions) { o.Arguments = ArgumentsExact }, ExpectationSettings{AnyOf: [][]Tool{{wants}, tools("a b")}}, []Call{unknown},
			NotEvaluable, 0, `arguments of "a" were not captured`, "the first may be better than a half"},
		{"10,001 calls", nil, ExpectationSettings{Tools: tools("a")}, make([]Call, maxCalls+1),
			NotEvaluable, 0, "the run has more than 10000 calls", "there is a limit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := native(t, tc.options).Judge(expectation(t, tc.settings), tc.calls)
			if v.Status != tc.status || v.Score != tc.score || v.Why != tc.why {
				t.Errorf("got %v, %v, %q; want %v, %v, %q: %s", v.Status, v.Score, v.Why, tc.status, tc.score, tc.why, tc.reason)
			}
			checkJudged(t, v)
		})
	}
}

func TestNativeRepeats(t *testing.T) {
	call := func(arguments Payload) Call { return Call{Name: "a", Arguments: arguments} }
	for _, tc := range []struct {
		name   string
		calls  []Call
		counts int
		reason string
	}{
		{"equal by value", []Call{call(JSON(`{"x":1,"y":2}`)), call(JSON(`{"y":2.0,"x":1}`))}, 1, "written in another way"},
		{"other arguments", []Call{call(JSON(`{"x":1}`)), call(JSON(`{"x":2}`))}, 2, "another question"},
		{"none and empty", []Call{call(Omitted()), call(JSON(`{}`))}, 1, "neither has arguments"},
		{"nothing known", []Call{call(Payload{}), call(Payload{})}, 1, "the names decide"},
		{"known and not known", []Call{call(JSON(`{}`)), call(Payload{})}, 2, "whether they are the same is not known"},
		{"too large", []Call{call(TooLarge()), call(TooLarge())}, 2, "they may differ"},
		{"three in a row", []Call{call(JSON(`1`)), call(JSON(`1`)), call(JSON(`1.0`))}, 1, "each is compared with the one before"},
	} {
		o := DefaultNative()
		o.Repeats, o.Score = CollapseRepeats, Precision
		v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools("a")}), tc.calls)
		if want := 1 / float64(tc.counts); v.Score != want || len(v.Alignment.Repeats) != len(tc.calls)-tc.counts {
			t.Errorf("%s: precision %v with repeats %v, want %v: %s", tc.name, v.Score, v.Alignment.Repeats, want, tc.reason)
		}
		checkPairs(t, v)
	}
}

package scoring

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// checkJudged checks the laws of all verdicts of all methods.
func checkJudged(t *testing.T, v Verdict) {
	t.Helper()
	if !(0 <= v.Score && v.Score <= 1) {
		t.Errorf("score %v is outside [0, 1]", v.Score)
	}
	checkVerdict(t, v)
	checkClasses(t, v)
	checkMatches(t, v)
	for _, values := range []bool{false, true} {
		checkReason(t, v.Reason(ReasonOptions{Values: values}))
	}
}

func checkReason(t *testing.T, reason string) {
	t.Helper()
	if reason == "" || len(reason) > maxReason || !utf8.ValidString(reason) || SafeName(reason, maxReason) != reason {
		t.Errorf("no good reason: %q of %d bytes", reason, len(reason))
	}
}

// FuzzNativeLaws checks laws that hold for any score. Inputs use all features: forbidden tools, several lists, limits,
// repeats that count once, payloads that were not captured.
func FuzzNativeLaws(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		o.ExtraCalls, o.Repeats = ExtraCalls(d.below(2)), Repeats(d.below(3))
		e, err := NewExpectation(d.settings())
		if err != nil {
			return
		}
		calls := d.calls(12)
		for i := range calls {
			if d.chance(10) {
				calls[i].Arguments = pick(d, []Payload{{}, TooLarge(), Omitted(), Text("x"), JSON("{bad")})
			}
		}
		v := judge(t, o, e, calls)
		checkJudged(t, v)
		checkPairs(t, v)
		if again := judge(t, o, e, calls); !cmp.Equal(v, again, cmp.AllowUnexported(Payload{})) {
			t.Errorf("the same run got two verdicts: %s", cmp.Diff(v, again, cmp.AllowUnexported(Payload{})))
		}
		sets := o.Repeats == UniqueRepeats // they have laws of their own
		o.Repeats = CountRepeats
		if all := judge(t, o, e, calls).Alignment.Forbidden; !slices.Equal(v.Alignment.Forbidden, all) {
			t.Errorf("calls %v are forbidden if repeats count, and else %v", all, v.Alignment.Forbidden)
		}
		if v.Status == Scored && len(v.Alignment.Forbidden) > 0 && v.Score != 0 {
			t.Errorf("score %v in spite of a forbidden call", v.Score)
		}
		if v.Status == Scored && v.Score == 1 && o.Score != Precision && !sets {
			if missing, _ := NameDiff(e, calls); len(missing) > 0 {
				t.Errorf("a full score, but %q are missing", missing)
			}
		}
	})
}

// settings returns settings with any features. They may be invalid.
func (d *dice) settings() ExpectationSettings {
	all := features{patterns: true, counts: true, arguments: true, modes: true}
	s := ExpectationSettings{Tools: d.tools(8, all)}
	if d.chance(4) {
		s.Tools = nil
		s.AnyOf = [][]Tool{d.tools(4, all), d.tools(4, all)}
	}
	if d.chance(4) {
		s.Forbidden = []Tool{d.tool(features{patterns: true, arguments: true})}
	}
	if d.chance(4) {
		s.MaxCalls = new(1 + d.below(12))
	}
	if d.chance(4) {
		s.MaxRepeats = 1 + d.below(3)
	}
	if d.chance(4) {
		s.Allowed = []string{pick(d, []string{"a", "b*", "*"})}
	}
	for i := range s.Tools {
		if d.chance(4) {
			s.Tools[i].After = []string{pick(d, []string{"a", "b*", "*"})}
		}
	}
	return s
}

// FuzzMatchers: a matcher of one value is a key of the arguments with that value, unless values may be alike in part.
func FuzzMatchers(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		tools := d.tools(6, features{counts: true, arguments: true})
		calls := d.calls(8)
		if o.Arguments == ArgumentsFuzzy {
			o.Arguments = ArgumentsSubset
		}
		o.Credit = Credit(d.below(2))
		plain := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls)
		tools = cloneTools(tools)
		moved := 0
		for i := range tools {
			arguments, _ := tools[i].Arguments.Value()
			for name, v := range arguments.Members() {
				if v.Kind() == Object {
					continue // modes may compare it in part
				}
				work := names.Budget(maxWork)
				others := compare.Rewrite(arguments, &compare.Changes{Ignore: []string{name}}, &work)
				tools[i].Arguments = JSON(others)
				value := compare.Rewrite(v, &compare.Changes{}, &work)
				tools[i].Matchers = []Matcher{{Path: name, Value: JSON("[" + value + "]")}}
				moved++
				break
			}
		}
		matched := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls)
		if plain.Status != matched.Status || plain.Score != matched.Score {
			t.Errorf("with %d keys as matchers the score is %v (%s), and else %v (%s)", moved, matched.Score, matched.Why, plain.Score, plain.Why)
		}
	})
}

// FuzzRecall checks the laws of recall if extra calls are allowed.
func FuzzRecall(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		o.Score = Recall
		tools := d.tools(10, features{patterns: true, counts: true, arguments: true, modes: true})
		calls := d.calls(12)
		e := expectation(t, ExpectationSettings{Tools: tools})
		recall := func(order Order, calls []Call) float64 {
			o.Order = order
			return judge(t, o, e, calls).Score
		}
		exact, inOrder, anyOrder := recall(ExactOrder, calls), recall(InOrder, calls), recall(AnyOrder, calls)
		if exact > inOrder || inOrder > anyOrder {
			t.Errorf("a stricter order scores higher: exact %v, in_order %v, any %v", exact, inOrder, anyOrder)
		}
		for i := range calls {
			for _, order := range []Order{AnyOrder, InOrder} {
				if all, less := recall(order, calls), recall(order, without(calls, i)); less > all {
					t.Errorf("order %v: without call %d recall rises from %v to %v", order, i, all, less)
				}
			}
		}
	})
}

// FuzzPermutation: under order any, no measure depends on the order of either list.
func FuzzPermutation(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		o.Order = AnyOrder
		tools := d.tools(10, features{patterns: true, counts: true, arguments: true, modes: true})
		calls := d.calls(12)
		want := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls).Score
		random := rand.New(rand.NewPCG(uint64(len(data)), 1))
		for range 4 {
			random.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
			random.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
			if got := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls).Score; got != want {
				t.Errorf("in another order the score is %v instead of %v", got, want)
			}
		}
	})
}

// FuzzSymmetry: if matching is symmetric, so is F1, under every order.
func FuzzSymmetry(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		o.Score, o.Output = F1, OutputMode(d.below(2))
		o.Arguments = pick(d, []ArgumentMode{ArgumentsIgnore, ArgumentsExact, ArgumentsPartial})
		left, right := d.calls(10), d.calls(10)
		there := judge(t, o, expected(t, left), right)
		back := judge(t, o, expected(t, right), left)
		if there.Score != back.Score {
			t.Errorf("%v there, %v back", there.Score, back.Score)
		}
	})
}

// expected returns an expectation of exactly those calls.
func expected(t *testing.T, calls []Call) *Expectation {
	t.Helper()
	tools := make([]Tool, len(calls))
	for i, c := range calls {
		tools[i] = Tool{Name: c.Name, Arguments: c.Arguments, Output: c.Output}
	}
	return expectation(t, ExpectationSettings{Tools: tools})
}

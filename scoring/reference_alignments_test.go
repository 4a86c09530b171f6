package scoring

import (
	"slices"
	"strings"
	"testing"
)

// A call that is known to have neither arguments nor output, and expected tools.
var (
	bareCall = Call{Name: "t", Arguments: Omitted(), Output: Omitted()}
	wantX    = Tool{Name: "t", Arguments: JSON(`{"x":1}`)}
	bareTool = Tool{Name: "t"}
)

// TestAlignments: the alignment contains what the reference's own explanation says.
func TestAlignments(t *testing.T) {
	a, b, c := Tool{Name: "a"}, Tool{Name: "b"}, Tool{Name: "c"}
	inOrder := must(NewEvalLib(EvalLibOptions{CheckOrdering: true}))
	exact := must(NewEvalLib(EvalLibOptions{ExactMatch: true}))
	for _, tc := range []struct {
		name    string
		method  Method
		tools   []Tool
		called  string
		pairs   []Pair
		repeats []int
		broken  []BrokenRule
		notes   []string
		ordered bool
		reason  string
	}{
		{"greedy", must(NewAxion(DefaultAxion())), []Tool{a, b}, "b x a", []Pair{{0, 2, 1}, {1, 0, 1}}, nil, nil, nil, false, "order is free"},
		{"in order", inOrder, []Tool{a, b, c}, "b a c", []Pair{{0, 1, 1}, {2, 2, 1}}, nil, nil, nil, true, "the path that leaves out the later tool first"},
		{"exact, shorter", exact, []Tool{a, b}, "a", []Pair{{0, 0, 1}}, nil, []BrokenRule{{"1 call was made, exactly 2 are expected", -1}}, nil, true, "the count is the fact"},
		{"exact, differing", exact, []Tool{a, b, c}, "a x y", []Pair{{0, 0, 1}}, nil, nil, []string{"position 2 is the first that differs"}, true, "the position is a fact, and what stands there the reason"},
		{"galtea", must(NewGaltea(GalteaOptions{})), []Tool{a, b, a}, "b b x x", []Pair{{1, 0, 1}}, []int{1, 3}, nil, nil, false, "repeats do not count"},
		{"deepeval", must(NewDeepEval(DefaultDeepEval())), []Tool{a, a}, "a a", []Pair{{0, 0, 1}}, nil, nil, nil, false, "the second is the first"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var calls []Call
			for name := range strings.FieldsSeq(tc.called) {
				calls = append(calls, Call{Name: name, Arguments: Omitted(), Output: Omitted()})
			}
			got := tc.method.Judge(expectation(t, ExpectationSettings{Tools: tc.tools}), calls).Alignment
			if !slices.Equal(got.Pairs, tc.pairs) || !slices.Equal(got.Repeats, tc.repeats) || !slices.Equal(got.Broken, tc.broken) || !slices.Equal(got.Notes, tc.notes) || got.Ordered != tc.ordered {
				t.Errorf("pairs %v, repeats %v, broken %v, notes %q, ordered %v; want %v, %v, %v, %q, %v: %s", got.Pairs, got.Repeats, got.Broken,
					got.Notes, got.Ordered, tc.pairs, tc.repeats, tc.broken, tc.notes, tc.ordered, tc.reason)
			}
		})
	}
}

// TestOverload: lists that are too long are quickly found not evaluable.
func TestOverload(t *testing.T) {
	tools, calls := make([]Tool, 5000), make([]Call, 5000)
	for i := range tools {
		tools[i], calls[i] = bareTool, bareCall
	}
	e := &Expectation{settings: ExpectationSettings{Tools: tools}}
	if got := must(NewEvalLib(EvalLibOptions{CheckOrdering: true})).Judge(e, calls); got.Status != NotEvaluable {
		t.Errorf("5000 x 5000: %v, want %v", got.Status, NotEvaluable)
	}
	huge := JSON(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	for i := range 40 {
		tools[i].Arguments, calls[i].Arguments = huge, huge
	}
	e = &Expectation{settings: ExpectationSettings{Tools: tools[:40]}}
	o := DefaultAxion()
	o.CheckParameters = true
	if got := must(NewAxion(o)).Judge(e, calls[:40]); got.Status != NotEvaluable || !strings.Contains(got.Why, "payloads") {
		t.Errorf("40 x 40 of a megabyte: %v %q, want %v", got.Status, got.Why, NotEvaluable)
	}
}

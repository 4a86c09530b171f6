package scoring

import (
	"testing"
)

// outputMethods returns the methods that can compare outputs, with the option for it.
func outputMethods() []Method {
	exact, subset := DefaultNative(), DefaultNative()
	exact.Output, subset.Output = OutputExact, OutputSubset
	params := []string{"output"}
	return []Method{
		must(NewNative(exact)), must(NewNative(subset)),
		must(NewDeepEval(DeepEvalOptions{EvaluationParams: params})),
		must(NewDeepEval(DeepEvalOptions{EvaluationParams: params, ShouldConsiderOrdering: true})),
		must(NewDeepEval(DeepEvalOptions{EvaluationParams: params, ShouldExactMatch: true})),
		must(NewDeepEvalMultimodal(DeepEvalOptions{EvaluationParams: params})),
		must(NewEvalSharp(DeepEvalOptions{EvaluationParams: params})),
		must(NewEvalSharp(DeepEvalOptions{EvaluationParams: params, ShouldConsiderOrdering: true})),
	}
}

// The memory of one output must not change the next verdict.
func TestOutputsOneAfterTheOther(t *testing.T) {
	m := native(t, func(o *NativeOptions) { o.Output = OutputExact })
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Output: JSON(`"42"`)}, {Name: "b", Output: JSON(`7`)}}})
	calls := []Call{{Name: "a", Output: JSON(`[{"type":"text","text":"42"}]`)}, {Name: "b", Output: Omitted()}, {Name: "b", Output: JSON("7")}}
	for range 3 {
		v := m.Judge(e, calls)
		if v.Score != 1 || len(v.Alignment.Pairs) != 2 || v.Alignment.Pairs[1].Called != 2 {
			t.Fatalf("score %v with pairs %v", v.Score, v.Alignment.Pairs)
		}
		if v := m.Judge(e, calls[1:2]); v.Score != 0 {
			t.Fatalf("score %v of a call that returned nothing", v.Score)
		}
	}
}

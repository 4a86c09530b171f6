package scoring

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

// deepEvalRules are the rules that changed between generations of DeepEval.
type deepEvalRules struct {
	name string
	// equalIsFull: arguments that are equal score 1 before anything is counted, two nulls and two {} included.
	equalIsFull bool
	// emptyIsScored: if nothing is expected, the score is 1 if nothing was called, else 0.
	emptyIsScored bool
	// comparesType: a plain function never matches an MCP tool.
	comparesType bool
}

// deepEval4110 are the rules since 4.1.9.
var deepEval4110 = deepEvalRules{
	name: "deepeval", equalIsFull: true, emptyIsScored: true, comparesType: true,
}

// deepEvalMultimodal are the oldest rules: {} and {} have nothing in common, ten equal keys make 0.9999999999999999.
var deepEvalMultimodal = deepEvalRules{name: "deepeval_multimodal"}

// equalInPython is the equality of values.
func equalInPython(e, c Value) bool { return compare.Python(e, c) }

// share returns the share of the arguments that agree. DeepEval crashes if only one side is null.
func (r *deepEvalRules) share(e, c Value, tool string) (float64, *notScored) {
	if e.Kind() == Object && c.Kind() == Object {
		share, equal := compare.DeepEval(e, c)
		if equal && r.equalIsFull {
			return 1, nil
		}
		return share, nil
	}
	if r.equalIsFull && e.Kind() == c.Kind() {
		return 1, nil
	}
	return 0, failed("%s has null arguments, which this version of DeepEval cannot compare", quoted(tool))
}

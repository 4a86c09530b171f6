package scoring

import (
	"encoding/json"
	"math"
	"testing"
)

// TestDeepEval431: the verdicts are those of DeepEval 4.3.1 on 2,000 random runs with every combination of options. A line is
// a run and its results in the order of deepEvalCombinations: score and verdict, or null if DeepEval raises.
// internal/e2e/references/compare_deepeval.py wrote the lines, and compares the dry run with the newest DeepEval.
func TestDeepEval431(t *testing.T) {
	methods := deepEvalCombinations()
	runs, verdicts := 0, 0
	for line := range gzipLines(t, "deepeval_431") {
		runs++
		if testing.Short() && runs%4 != 0 {
			continue
		}
		var v struct {
			Expected, Called []vectorCall
			Results          [][]any
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		run := vector{Expected: v.Expected, Called: v.Called}
		e, calls := run.expectation(t), run.calls(t)
		for i, m := range methods {
			verdicts++
			got := m.Judge(e, calls)
			if v.Results[i] == nil {
				if got.Status != Failed {
					t.Errorf("run %d, combination %d: %v, and DeepEval raises", runs, i, got.Status)
				}
				continue
			}
			score, passed := v.Results[i][0].(float64), v.Results[i][1].(bool)
			if got.Status != Scored || math.Abs(got.Score-score) > 1e-12 || got.Passed != passed {
				t.Errorf("run %d, combination %d: %v %v %v, want %v %v", runs, i, got.Status, got.Score, got.Passed, score, passed)
			}
		}
	}
	judged := runs
	if testing.Short() {
		judged /= 4
	}
	if runs != 2000 || verdicts != 32*judged {
		t.Errorf("%d runs, %d verdicts", runs, verdicts)
	}
}

// deepEvalCombinations returns every combination of options, in the order of the script.
func deepEvalCombinations() (all []Method) {
	thresholds := []float64{0.5, 0.8, 1, 0, 0.3}
	for _, params := range [][]string{nil, {"input_parameters"}, {"output"}, {"input_parameters", "output"}} {
		for bits := range 8 {
			all = append(all, must(NewDeepEval(DeepEvalOptions{
				EvaluationParams: params, ShouldExactMatch: bits&4 > 0, ShouldConsiderOrdering: bits&2 > 0, StrictMode: bits&1 > 0,
				Threshold: thresholds[len(all)%len(thresholds)],
			})))
		}
	}
	return all
}

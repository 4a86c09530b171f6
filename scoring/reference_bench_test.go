package scoring

import (
	"fmt"
	"testing"
)

// BenchmarkReference scores ten expected tools and the same ten calls in another order.
func BenchmarkReference(b *testing.B) {
	names := make([]Tool, 10)
	full := make([]Tool, 10)
	calls := make([]Call, 10)
	for i := range names {
		arguments := JSON(fmt.Sprintf(`{"city":"berlin %d","days":[1,2,%d],"unit":{"temperature":"celsius"}}`, i, i))
		names[i] = Tool{Name: fmt.Sprintf("tool_%d", i)}
		full[i] = Tool{Name: names[i].Name, Arguments: arguments}
		calls[(i*3+1)%10] = Call{Name: names[i].Name, Arguments: arguments, Output: Omitted()}
	}
	checked, fuzzy := DefaultAxion(), DefaultAxion()
	checked.CheckParameters, fuzzy.CheckParameters = true, true
	fuzzy.ParameterMatchingStrategy = "fuzzy"
	params := []string{"input_parameters"}
	for _, bc := range []struct {
		name   string
		method Method
		tools  []Tool
	}{
		{"axion", must(NewAxion(DefaultAxion())), names},
		{"axion_exact", must(NewAxion(checked)), full},
		{"axion_fuzzy", must(NewAxion(fuzzy)), full},
		{"deepeval", must(NewDeepEval(DefaultDeepEval())), names},
		{"deepeval_arguments", must(NewDeepEval(DeepEvalOptions{EvaluationParams: params})), full},
		{"deepeval_ordered", must(NewDeepEval(DeepEvalOptions{ShouldConsiderOrdering: true})), names},
		{"deepeval_multimodal", must(NewDeepEvalMultimodal(DefaultDeepEval())), names},
		{"evalsharp", must(NewEvalSharp(DefaultDeepEval())), names},
		{"evalsharp_arguments", must(NewEvalSharp(DeepEvalOptions{EvaluationParams: params})), full},
		{"eval_lib", must(NewEvalLib(DefaultEvalLib())), names},
		{"eval_lib_ordered", must(NewEvalLib(EvalLibOptions{CheckOrdering: true})), names},
		{"galtea", must(NewGaltea(GalteaOptions{})), names},
	} {
		e, err := NewExpectation(ExpectationSettings{Tools: bc.tools})
		if err != nil {
			b.Fatal(err)
		}
		want := bc.method.Judge(e, calls).Score
		if want == 0 {
			b.Fatalf("%s: score 0", bc.name)
		}
		b.Run("method="+bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := bc.method.Judge(e, calls).Score; got != want {
					b.Fatalf("score %v, want %v", got, want)
				}
			}
		})
	}
}

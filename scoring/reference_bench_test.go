package scoring

import (
	"fmt"
	"strings"
	"testing"
)

// benchTexts are two texts of n characters that share about nine tenths: words in the one order, a few replaced.
func benchTexts(n int) (a, b string) {
	words := strings.Fields("the weather in berlin tomorrow and on the day after please in degrees celsius with wind and rain")
	var x, y strings.Builder
	for i := 0; min(x.Len(), y.Len()) < n; i++ {
		word := words[(i*i+i/3)%len(words)]
		x.WriteString(word + " ")
		if i%10 == 2 {
			word = "london"
		}
		y.WriteString(word + " ")
	}
	return x.String()[:n], y.String()[:n]
}

// BenchmarkRatio compares difflib's ratio with its definition written down directly.
func BenchmarkRatio(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		x, y := benchTexts(n)
		want := plainRatio([]rune(x), []rune(y))
		for _, form := range []struct {
			name  string
			ratio func(x, y string) float64
		}{
			{"fast", ratio},
			{"naive", func(x, y string) float64 { return plainRatio([]rune(x), []rune(y)) }},
		} {
			b.Run(fmt.Sprintf("chars=%d/form=%s", n, form.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := form.ratio(x, y); got != want {
						b.Fatalf("ratio = %v, want %v", got, want)
					}
				}
			})
		}
	}
}

// BenchmarkRatioHostile is the longest that one comparison of texts takes.
func BenchmarkRatioHostile(b *testing.B) {
	x, y := hostileTexts(1 << 16)
	for b.Loop() {
		ratio(x, y)
	}
}

// BenchmarkReference judges ten expected tools and ten calls, all matching but in another order.
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
		{"evalsharp", must(NewEvalSharp(DefaultEvalSharp())), names},
		{"evalsharp_arguments", must(NewEvalSharp(EvalSharpOptions{EvaluationParams: params})), full},
		{"eval_lib", must(NewEvalLib(DefaultEvalLib())), names},
		{"eval_lib_ordered", must(NewEvalLib(EvalLibOptions{CheckOrdering: true})), names},
		{"galtea", must(NewGaltea(DefaultGaltea())), names},
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

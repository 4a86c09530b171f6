package difflib

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
			{"fast", Ratio},
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
		Ratio(x, y)
	}
}

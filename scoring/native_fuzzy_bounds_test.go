package scoring

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
)

// alternating returns n characters, every second of which is the next one of text, so that each makes a matching block.
func alternating(text string, n int) string {
	var b strings.Builder
	for i := range n / 2 {
		b.WriteByte(text[i%len(text)])
		b.WriteByte('#')
	}
	return b.String()
}

const expectedQuery = "the quick brown fox jumps over the lazy dog and runs away from a very angry bear that wants to eat him tonight"

func query(text string) Value {
	v, err := Decode(`{"q":"` + text + `"}`)
	if err != nil {
		panic(err)
	}
	return v
}

// A long text costs nothing if it cannot be alike enough, or if the other keys decide.
func TestLongTextsAreNotComparedIfBoundsDecide(t *testing.T) {
	long := alternating(expectedQuery, 60_000)
	two := func(first, second string) Value { return decode(t, `{"a":"`+first+`","b":"`+second+`"}`) }
	for _, tc := range []struct {
		name             string
		expected, called Value
		threshold        float64
		want             bool
		reason           string
	}{
		{"much longer than what is expected", query(expectedQuery), query(long), 0.8, false, "at most 0.004 of it can match"},
		{"one of two, and one is enough", two("x", expectedQuery), two("x", long), 0.5, true, "the other one reaches the threshold alone"},
		{"one of two, and both are needed", two("x", expectedQuery), two("y", long), 0.3, false, "neither is alike"},
	} {
		for method, alike := range map[string]func(expected, called Value, w *difflib.Budget) float64{"native": compare.Similarity, "axion": compare.Axion} {
			w := difflib.NewBudget()
			if got := difflib.Reaches(&w, tc.threshold, tc.expected, tc.called, alike); got != tc.want {
				t.Errorf("%s, %s: %v, want %v: %s", method, tc.name, got, tc.want, tc.reason)
			}
			if spent := difflib.MaxSteps - w.Left(); spent > 100 {
				t.Errorf("%s, %s: %d steps of comparing texts: %s", method, tc.name, spent, tc.reason)
			}
		}
	}
}

// Bounds decide as the ratios would.
func TestBoundsDecideAsRatiosDo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(most int) string {
		b := make([]byte, 1+random.IntN(most))
		for i := range b {
			b[i] = byte('a' + random.IntN(3))
		}
		return string(b)
	}
	n, decided, open := 2_000, 0, 0
	if testing.Short() {
		n = 400
	}
	for range n {
		expected := decode(t, fmt.Sprintf(`{"a":"%s","b":"%s","c":%d,"d":{"e":"%s"}}`, letters(600), letters(5), random.IntN(4), letters(300)))
		called := decode(t, fmt.Sprintf(`{"a":"%s","b":"%s","c":%d,"d":{"e":"%s"}}`, letters(2_000), letters(5), random.IntN(4), letters(300)))
		threshold := random.Float64()
		for method, alike := range map[string]func(expected, called Value, w *difflib.Budget) float64{"native": compare.Similarity, "axion": compare.Axion} {
			exact, bounded := difflib.NewBudget(), difflib.NewBudget()
			want := alike(expected, called, &exact) >= threshold
			if got := difflib.Reaches(&bounded, threshold, expected, called, alike); got != want {
				t.Fatalf("%s: %v, want %v for %v and %v at %v", method, got, want, expected, called, threshold)
			}
			switch {
			case bounded.Left() < exact.Left():
				t.Fatalf("%s: %d steps more than to compare", method, exact.Left()-bounded.Left())
			case bounded.Left() > exact.Left():
				decided++
			default:
				open++
			}
		}
	}
	if decided < n/4 || open < n/4 {
		t.Errorf("%d were decided by bounds and %d were not: the test means little", decided, open)
	}
}

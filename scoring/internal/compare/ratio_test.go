package compare

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// TestRatioVectors compares with what difflib of Python 3.11.7 said, bit for bit.
func TestRatioVectors(t *testing.T) {
	file, err := os.Open("testdata/difflib.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for d := json.NewDecoder(unzipped); d.More(); lines++ {
		var v struct {
			A, B  string
			Ratio float64
		}
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if got := ratio(v.A, v.B); got != v.Ratio {
			t.Errorf("Ratio(%.40q, %.40q) = %v, want %v", v.A, v.B, got, v.Ratio)
		}
		if got := plainRatio([]rune(v.A), []rune(v.B)); got != v.Ratio {
			t.Errorf("plainRatio(%.40q, %.40q) = %v, want %v", v.A, v.B, got, v.Ratio)
		}
	}
	if lines != 766 {
		t.Errorf("%d lines, want 766", lines)
	}
}

// TestRatioIsBounded gives texts that are made to take quadratic time at every level, and many levels.
func TestRatioIsBounded(t *testing.T) {
	a, b := hostileTexts(1 << 16)
	work := names.Budget(MaxSteps)
	if got := Ratio(a, b, &work); !math.IsNaN(got) {
		t.Errorf("ratio = %v with %d steps left, want NaN: the work is bounded", got, work)
	}
	if !work.Spent() {
		t.Errorf("%d steps left, want none", work)
	}
	if got := Ratio("same", "same", &work); got != 1 {
		t.Errorf("ratio of equal texts = %v, want 1: it takes no work", got)
	}
	if got := Ratio("a", "b", &work); !math.IsNaN(got) {
		t.Errorf("ratio after the work is spent = %v, want NaN", got)
	}
}

// hostileTexts of n characters share every other one, so that no block is longer than 1 and each leaves a search
// through all that follows.
func hostileTexts(n int) (a, b string) {
	x, y := make([]rune, n), make([]rune, n)
	for i := range n {
		x[i], y[i] = rune(0x10000+i), rune(0x10000+i)
		if i%2 == 1 {
			x[i], y[i] = rune(0x20000+i), rune(0x30000+i)
		}
	}
	return string(x), string(y)
}

// plainRatio is the definition, written down as directly as can be.
func plainRatio(a, b []rune) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	places := make(map[rune][]int)
	for j, r := range b {
		places[r] = append(places[r], j)
	}
	if len(b) >= 200 {
		for r, js := range places {
			if len(js) > len(b)/100+1 {
				delete(places, r)
			}
		}
	}
	return 2 * float64(plainMatches(a, b, places, 0)) / float64(len(a)+len(b))
}

// plainMatches counts the characters in matching blocks of a and b; b begins at shift in the text that places is of.
func plainMatches(a, b []rune, places map[rune][]int, shift int) int {
	bestI, bestJ, best := 0, 0, 0
	runs := make(map[int]int)
	for i, r := range a {
		now := make(map[int]int)
		for _, j := range places[r] {
			j -= shift
			if j < 0 || j >= len(b) {
				continue
			}
			now[j] = runs[j-1] + 1
			if now[j] > best {
				bestI, bestJ, best = i-now[j]+1, j-now[j]+1, now[j]
			}
		}
		runs = now
	}
	for bestI > 0 && bestJ > 0 && a[bestI-1] == b[bestJ-1] {
		bestI, bestJ, best = bestI-1, bestJ-1, best+1
	}
	for bestI+best < len(a) && bestJ+best < len(b) && a[bestI+best] == b[bestJ+best] {
		best++
	}
	if best == 0 {
		return 0
	}
	return best + plainMatches(a[:bestI], b[:bestJ], places, shift) +
		plainMatches(a[bestI+best:], b[bestJ+best:], places, shift+bestJ+best)
}

// FuzzRatio: the ratio lies in [0, 1] and is what the definition says, by whichever search.
func FuzzRatio(f *testing.F) {
	f.Add("tide", "diet", 1)
	f.Add("qabxcd", "abycdf", 40)
	f.Add("ababab", "babaab", 60)
	f.Add("\xff日本", "本日\xfe", 3)
	f.Fuzz(func(t *testing.T, a, b string, times int) {
		if len(a) > 200 || len(b) > 200 {
			return
		}
		// Repeated texts reach the length where autojunk begins.
		times = min(max(times, 1), 1+600/max(len(a), len(b), 1))
		a, b = strings.Repeat(a, times), strings.Repeat(b, times)+a
		got := ratio(a, b)
		if !(0 <= got && got <= 1) {
			t.Fatalf("Ratio(%q, %q) = %v", a, b, got)
		}
		if want := plainRatio([]rune(a), []rune(b)); got != want {
			t.Errorf("Ratio(%q, %q) = %v, want %v", a, b, got, want)
		}
	})
}

func ratio(a, b string) float64 {
	work := names.Budget(MaxSteps)
	return Ratio(a, b, &work)
}

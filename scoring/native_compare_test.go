package scoring

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

func decode(tb testing.TB, text string) Value {
	tb.Helper()
	v, err := Decode(text)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// FuzzWithin: two values are within each other if and only if they are equal, and equal values agree in full.
func FuzzWithin(f *testing.F) {
	f.Add(`{"a":[1,2.0,{"b":null}]}`, `{"a":[1.0,2,{"b":null}]}`)
	f.Add(`"\u00e9"`, `"é"`)
	f.Add(`{"a":1,"a":2}`, `{"a":2}`)
	f.Fuzz(func(t *testing.T, x, y string) {
		a, errA := Decode(x)
		b, errB := Decode(y)
		if errA != nil || errB != nil {
			return
		}
		equal := Equal(a, b)
		if mutual := compare.Within(a, b) && compare.Within(b, a); mutual != equal {
			t.Errorf("equal is %v, within each other %v", equal, mutual)
		}
		if equal && compare.Agreement(a, b, false, full) != full {
			t.Error("equal values do not agree in full")
		}
	})
}

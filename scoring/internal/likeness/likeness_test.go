package likeness

import (
	"math"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/equality"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

func TestLikeness(t *testing.T) {
	for _, tc := range []struct {
		want, got       string
		axion, deepEval float64
		subset          bool
		reason          string
	}{
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, (1 + 2./3) / 2, 0.5, false, "the example of the package"},
		{`{"a":1}`, `{"a":1,"b":2}`, 1, 0.5, true, "Axion ignores what only the call has"},
		{`{"a":1}`, `{"a":1.0}`, 0, 1, true, "to Axion's fuzzy strategy an int and a float have nothing in common"},
		{`{"a":null}`, `{"a":null}`, 0, 1, true, "to Axion's fuzzy strategy null is like nothing"},
		{`{"a":2}`, `{"a":-2}`, -1, 0, false, "numbers of opposite signs are less than unlike"},
		{`{"a":0}`, `{"a":1}`, 0, 0, false, "next to zero nothing but zero is alike"},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"x":1}}`, (0.5 + 1) / 2, 0.5, false, "objects inside count by their keys"},
		{`{"a":[1,2]}`, `{"a":[1,3]}`, 0, 0, false, "arrays are equal or not"},
		{`{"a":"abcd"}`, `{"a":"abcx"}`, 0.75, 0, false, "texts are alike by difflib's ratio"},
	} {
		want, got := decoded(t, tc.want), decoded(t, tc.got)
		texts := difflib.NewBudget()
		axion := Axion(want, got, &texts)
		deepEval, _ := DeepEval(want, got, equality.PythonLeaf)
		if axion != tc.axion || deepEval != tc.deepEval || AxionSubset(want, got) != tc.subset {
			t.Errorf("%s and %s: Axion %v, subset %v, DeepEval %v, want %v, %v, %v: %s", tc.want, tc.got, axion, AxionSubset(want, got), deepEval,
				tc.axion, tc.subset, tc.deepEval, tc.reason)
		}
	}
}

func decoded(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// FuzzLikeness checks what holds for any two objects.
func FuzzLikeness(f *testing.F) {
	f.Add(`{"a":1,"b":{"c":"text"}}`, `{"a":2.5,"b":{"c":"test","d":[1]}}`)
	f.Add(`{"a":-1,"b":null}`, `{"a":true,"b":null}`)
	f.Add(`{"a":1e999}`, `{"a":-1e999}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		want, err := jsonvalue.Decode(a)
		got, err2 := jsonvalue.Decode(b)
		if err != nil || err2 != nil || want.Kind() != jsonvalue.Object || got.Kind() != jsonvalue.Object || want.Len() == 0 {
			return
		}
		texts := difflib.NewBudget()
		axion := Axion(want, got, &texts)
		if axion > 1 || axion < -1 && !math.IsInf(axion, -1) { // a difference beyond the largest float64
			t.Errorf("%s and %s: Axion's likeness is %v", a, b, axion)
		}
		share, equal := DeepEval(want, got, equality.PythonLeaf)
		const rounding = 1e-9
		if math.IsNaN(share) || share < 0 || share > 1+rounding {
			t.Errorf("%s and %s: DeepEval's share is %v", a, b, share)
		}
		if deep := equality.Python(want, got); equal != deep || deep && !AxionSubset(want, got) {
			t.Errorf("%s and %s: equal is %v to DeepEval, %v to Python, a subset is %v", a, b, equal, deep, AxionSubset(want, got))
		}
		if back, _ := DeepEval(got, want, equality.PythonLeaf); math.Abs(back-share) > rounding {
			t.Errorf("%s and %s: DeepEval's share is %v, and %v the other way round", a, b, share, back)
		}
	})
}

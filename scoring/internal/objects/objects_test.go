package objects

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

func TestObjects(t *testing.T) {
	for _, tc := range []struct {
		a, b         string
		within       bool // a within b
		equal, union int  // keys
		similarity   float64
		reason       string
	}{
		{`{}`, `{"x":1}`, true, 0, 1, 1, "nothing is wanted"},
		{`{"x":1}`, `{"x":1.0,"y":2}`, true, 1, 2, 1, "values are equal, not texts"},
		{`{"x":1,"y":2}`, `{"x":1}`, false, 1, 2, 0.5, "one of two keys"},
		{`{"x":4}`, `{"x":3}`, false, 0, 1, 0.75, "numbers are near"},
		{`{"x":-1}`, `{"x":1}`, false, 0, 1, 0, "nearness is no less than 0"},
		{`{"x":"abcd"}`, `{"x":"bcde"}`, false, 0, 1, 0.75, "three characters of four, in both"},
		{`{"x":{"y":1}}`, `{"x":{"y":1,"z":2}}`, true, 0, 1, 0, "objects are within objects, and are alike only if they are equal"},
		{`{"x":[1]}`, `{"x":[1,2]}`, false, 0, 1, 0, "a list is within its equals only"},
		{`{"x":1}`, `{"x":"1"}`, false, 0, 1, 0, "kinds have nothing in common"},
		{`{"x":1e400}`, `{"x":1}`, false, 0, 1, 0, "a number beyond float64 is near none"},
	} {
		a, b := decode(t, tc.a), decode(t, tc.b)
		if got := Within(a, b); got != tc.within {
			t.Errorf("%s within %s: %v: %s", tc.a, tc.b, got, tc.reason)
		}
		if equal, union := Shared(a, b); equal != tc.equal || union != tc.union {
			t.Errorf("%s and %s share %d of %d keys, want %d of %d: %s", tc.a, tc.b, equal, union, tc.equal, tc.union, tc.reason)
		}
		if equal, union := Shared(b, a); equal != tc.equal || union != tc.union {
			t.Errorf("sharing is symmetric: %s and %s", tc.b, tc.a)
		}
		texts := difflib.NewBudget()
		if got := Similarity(a, b, &texts); got != tc.similarity {
			t.Errorf("%s and %s are %v alike, want %v: %s", tc.a, tc.b, got, tc.similarity, tc.reason)
		}
	}
}

func decode(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

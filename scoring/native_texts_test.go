package scoring

import (
	"encoding/json"
	"testing"
)

// TestNativeTextsTooLong: what would take too long to compare is not scored, and says so.
func TestNativeTextsTooLong(t *testing.T) {
	a, b := hostileTexts(1 << 16)
	object := func(text string) Payload {
		encoded, err := json.Marshal(map[string]string{"q": text})
		if err != nil {
			t.Fatal(err)
		}
		return JSON(string(encoded))
	}
	options := DefaultNative()
	options.Arguments = ArgumentsFuzzy
	native, err := NewNative(options)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewExpectation(ExpectationSettings{Tools: []Tool{{Name: "search", Arguments: object(b)}}})
	if err != nil {
		t.Fatal(err)
	}
	v := native.Judge(e, []Call{{Name: "search", Arguments: object(a)}})
	const why = `the texts in the arguments of "search" take too long to compare`
	if v.Status != NotEvaluable || v.Why != why {
		t.Errorf("got %v, %q; want not_evaluable, %q", v.Status, v.Why, why)
	}
	if v = native.Judge(e, []Call{{Name: "search", Arguments: object(b)}}); v.Score != 1 {
		t.Errorf("equal texts score %v, want 1, in the next judgement", v.Score)
	}
}

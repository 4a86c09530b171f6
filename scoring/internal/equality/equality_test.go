package equality

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

func TestLanguages(t *testing.T) {
	for _, tc := range []struct {
		a, b        string
		python, clr bool
		reason      string
	}{
		{`1`, `1`, true, true, "equal everywhere"},
		{`1`, `1.0`, true, false, "Python compares numbers, C# types as well"},
		{`1`, `true`, true, false, "a bool of Python is an int"},
		{`0`, `false`, true, false, "both of them"},
		{`-0`, `0`, true, true, "an int has no sign at 0"},
		{`-0.0`, `0`, true, false, "a float has one, which does not count"},
		{`9007199254740993`, `9007199254740992.0`, false, false, "an int is never converted to a float"},
		{`9007199254740992`, `9007199254740992.0`, true, false, "this float is that whole number"},
		{`1e999`, `1e998`, true, true, "both are infinity"},
		{`1e999`, `1`, false, false, "no int is infinite"},
		{`"1"`, `1`, false, false, "a text is no number"},
		{`null`, `null`, true, true, "None is None"},
		{`null`, `false`, false, false, "nothing is not false"},
		{`[1]`, `[1]`, true, false, "C# compares lists by identity"},
		{`[1, 2]`, `[2, 1]`, false, false, "lists have an order"},
		{`[1]`, `[1, 1]`, false, false, "and a length"},
		{`{"a": 1, "b": [true]}`, `{"b": [1], "a": 1.0}`, true, false, "dictionaries have no order, and the rules hold at any depth"},
		{`{"a": 1}`, `{"b": 1}`, false, false, "another key"},
		{`{}`, `[]`, false, false, "another type"},
	} {
		a, b := decode(t, tc.a), decode(t, tc.b)
		for _, x := range [][2]jsonvalue.Value{{a, b}, {b, a}} {
			if got := Python(x[0], x[1]); got != tc.python {
				t.Errorf("%s == %s is %v in Python: %s", tc.a, tc.b, got, tc.reason)
			}
			if got := CLR(x[0], x[1]); got != tc.clr {
				t.Errorf("%s equals %s is %v in C#: %s", tc.a, tc.b, got, tc.reason)
			}
		}
	}
}

func TestDictionariesOfCLR(t *testing.T) {
	for _, tc := range []struct {
		a, b   string
		share  float64
		same   bool
		reason string
	}{
		{`{"a": 1, "b": 2}`, `{"a": 1, "b": 2}`, 1, true, "the same entries"},
		{`{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, 1, false, "a sequence has an order"},
		{`{"a": 1, "b": 2}`, `{"a": 1, "c": 2}`, 1. / 3, false, "one of three keys"},
		{`{"a": [1]}`, `{"a": [1]}`, 0, false, "a list equals itself only"},
		{`{}`, `{}`, 0, true, "no comparison with NaN holds"},
	} {
		a, b := decode(t, tc.a), decode(t, tc.b)
		if got := CLRShare(a, b); got != tc.share {
			t.Errorf("the share of %s and %s is %v, want %v: %s", tc.a, tc.b, got, tc.share, tc.reason)
		}
		if got := CLRSameSequence(a, b); got != tc.same {
			t.Errorf("%s and %s as sequences: %v: %s", tc.a, tc.b, got, tc.reason)
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

package scoring

import "testing"

// TestNativeTextsTooLong: a run with texts that take too long to compare is not scored, and the verdict says why.
func TestNativeTextsTooLong(t *testing.T) {
	a, b := hostileTexts(1 << 16)
	object := func(text string) Payload { return JSON(`{"q":"` + text + `"}`) }
	n := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsFuzzy })
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "search", Arguments: object(b)}}})
	v := n.Judge(e, []Call{{Name: "search", Arguments: object(a)}})
	const why = `the texts in the arguments of "search" take too long to compare`
	if v.Status != NotEvaluable || v.Why != why {
		t.Errorf("got %v, %q; want not_evaluable, %q", v.Status, v.Why, why)
	}
	if v = n.Judge(e, []Call{{Name: "search", Arguments: object(b)}}); v.Score != 1 {
		t.Errorf("equal texts score %v, want 1, in the next judgement", v.Score)
	}
}

// hostileTexts returns two texts of n characters that share every other one. No block is longer than 1, and behind each the
// search continues through all the rest.
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

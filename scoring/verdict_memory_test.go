package scoring

import "testing"

// What explains a verdict is reused memory: only what is returned is allocated.
func TestVerdictsAllocateOnlyWhatTheyReturn(t *testing.T) {
	names := numbered("tool_%d", 8)
	right, swapped := callsOf(names), callsOf(names)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	e := expectation(t, ExpectationSettings{Tools: toolsOf(names)})
	judged := func(Verdict) {}
	matches := func(v Verdict) { v.Matches() }
	reason := func(v Verdict) { v.Reason(ReasonOptions{}) }
	for _, tc := range []struct {
		name    string
		order   Order
		calls   []Call
		explain func(Verdict)
		want    float64
		reason  string
	}{
		{"passed", AnyOrder, right, judged, 1, "the pairs"},
		{"passed, with matches", AnyOrder, right, matches, 2, "the pairs and the matches"},
		{"passed, with a reason", AnyOrder, right, reason, 2, "the pairs and the text"},
		{"passed in order, with a reason", InOrder, right, reason, 2, "the pairs and the text"},
		{"a missing call, with matches", AnyOrder, right[1:], matches, 2, "the pairs and the matches"},
		{"a missing call, with a reason", AnyOrder, right[1:], reason, 2, "the pairs and the text"},
		{"an unexpected call, with a reason", InOrder, append(called("other"), right...), reason, 2, "the pairs and the text"},
		{"out of order, with a reason", InOrder, swapped, reason, 3, "and where the call belongs"},
	} {
		n := native(t, func(o *NativeOptions) { o.Order = tc.order })
		least := 100.0
		for range 50 { // with the race detector, a pool forgets some of its memory
			least = min(least, testing.AllocsPerRun(1, func() { tc.explain(n.Judge(e, tc.calls)) }))
		}
		if least != tc.want {
			t.Errorf("%s: %v allocations, want %v: %s", tc.name, least, tc.want, tc.reason)
		}
	}
}

package scoring

import "testing"

// No word of a configuration makes such options.
func TestUnknownUncaptured(t *testing.T) {
	_, deepEval := NewDeepEval(DeepEvalOptions{Uncaptured: 7})
	_, evalSharp := NewEvalSharp(DeepEvalOptions{Uncaptured: 7})
	for _, err := range []error{deepEval, evalSharp} {
		if err == nil || err.Error() != "uncaptured: is unknown" {
			t.Errorf("got %v", err)
		}
	}
}

// TestZeroThresholdOfAxion: Axion treats 0 as "not given".
func TestZeroThresholdOfAxion(t *testing.T) {
	o := DefaultAxion()
	o.Threshold = 0
	got := must(NewAxion(o)).Judge(&Expectation{settings: ExpectationSettings{Tools: []Tool{wantX}}}, nil)
	if got.Threshold != 0.5 || got.Passed {
		t.Errorf("threshold %v, passed %v; want 0.5 and false", got.Threshold, got.Passed)
	}
}

// TestStrictThreshold: strict mode sets the threshold of the verdict to 1.
func TestStrictThreshold(t *testing.T) {
	e := &Expectation{settings: ExpectationSettings{Tools: []Tool{bareTool}}}
	for _, m := range []Method{
		must(NewDeepEval(DeepEvalOptions{StrictMode: true, Threshold: 0.5})),
		must(NewEvalSharp(DeepEvalOptions{StrictMode: true, Threshold: 0.5})),
	} {
		if got := m.Judge(e, []Call{bareCall}); got.Threshold != 1 || !got.Passed {
			t.Errorf("%s: threshold %v, passed %v; want 1 and true", m.Name(), got.Threshold, got.Passed)
		}
	}
}

package attributes

import "testing"

func TestNamesOfMetrics(t *testing.T) {
	for _, tc := range []struct{ name, want, reason string }{
		{"tool_correctness", "", "the default metric shares its prefix with the run, and no attribute is called like it"},
		{"strict.names", "", "a point is part of a prefix"},
		{" ", "it is empty", "an attribute needs a prefix"},
		{"gen_ai.score", "names under gen_ai. belong to the semantic conventions", "what others define is not ours to write"},
		{"tool_correctness.config", "an attribute has that name", "a backend cannot hold a text and a prefix under one name"},
	} {
		if got := NameProblem(tc.name); got != tc.want {
			t.Errorf("NameProblem(%q) = %q, want %q: %s", tc.name, got, tc.want, tc.reason)
		}
	}
}

// A span reserves room for what it may be given, so that its attributes move once.
func TestMostAttributes(t *testing.T) {
	names := map[string]bool{}
	for _, key := range OfRun() {
		names[key] = true
	}
	for _, metric := range []string{"a", DefaultMetric} {
		keys := Of(metric)
		for _, key := range keys.OnAnchor() {
			names[key] = true
		}
	}
	// "a.expectation" is new, and that of the default metric is the run's own.
	if got := Most(2, true); got != len(names) {
		t.Errorf("two metrics that may meet different expectations write %d attributes at most, want %d: %v", got, len(names), names)
	}
	if got := Most(2, false); got != len(names)-1 {
		t.Errorf("two metrics of one expectation write %d attributes at most, want %d", got, len(names)-1)
	}
}

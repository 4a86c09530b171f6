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

package compare

import (
	"strings"
	"testing"
	"unique"
)

// A handle from ToolNames is that of unique.Make, after any other names.
func TestHandlesOfToolNames(t *testing.T) {
	long := strings.Repeat("n", longestName+1)
	var n ToolNames
	for _, tc := range []struct{ name, reason string }{
		{"search", "the name is new"},
		{"search", "the name is known"},
		{"sxxxxh", "another name has its place"},
		{"search", "and the first takes it back"},
		{"", "a name may be empty"},
		{long, "a long name is not kept"},
	} {
		if n.Handle(tc.name) != unique.Make(tc.name) {
			t.Errorf("%.10q has another handle: %s", tc.name, tc.reason)
		}
	}
	for _, h := range n {
		if h != (unique.Handle[string]{}) && h.Value() == long {
			t.Error("a long name is kept alive")
		}
	}
}

package dialect

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A look-up by length finds exactly the keys that the map has.
func TestAttributesAreFoundByAnyKey(t *testing.T) {
	for _, tc := range []struct {
		key, asked, reason string
	}{
		{"gen_ai.tool.name", "gen_ai.tool.name", "the key is there"},
		{"gen_ai.tool.name", "gen_ai.tool.type", "a key of the same length is another one"},
		{"gen_ai.tool.name", "session.id", "a key of another length is not there"},
		{"", "", "an empty key has a length as well"},
		{"k", strings.Repeat("k", 65), "lengths that differ by 64 share a bit"},
		{strings.Repeat("k", 64), strings.Repeat("k", 64), "a long key is found"},
		{strings.Repeat("k", 64), "", "a long key is not the empty one"},
	} {
		attributes := pcommon.NewMap()
		attributes.PutStr(tc.key, "value")
		m := mapOf(attributes)
		v, found := m.Get(tc.asked)
		if want := tc.key == tc.asked; found != want || found && v.Str() != "value" {
			t.Errorf("key %q, asked for %q: found %v, want %v: %s", tc.key, tc.asked, found, want, tc.reason)
		}
	}
	if m := mapOf(pcommon.NewMap()); m.lengths != 0 {
		t.Error("an empty map has a key")
	}
}

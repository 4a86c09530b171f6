package listed

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{`["a", {"name": "b", "arguments": {"x": 1.0}}]`, `a   b {"x": 1.0} `, "payloads are kept as they are written"},
		{`[{"name": "b", "output": null}]`, "b  null", "null is given"},
		{`null`, "it is not a JSON array", "no list"},
		{`[7]`, "element 0 is neither", "a number is no name"},
		{`["a", {"name": "b", "secret": 1}]`, "element 1 is neither", "an unknown key"},
	} {
		entries, err := Parse(tc.text)
		var parts []string
		for _, e := range entries {
			parts = append(parts, e.Name+" "+string(e.Arguments)+" "+string(e.Output))
		}
		got := strings.Join(parts, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tc.want) || strings.Contains(got, "secret") {
			t.Errorf("%s is %q, want %q: %s", tc.text, got, tc.want, tc.reason)
		}
	}
}

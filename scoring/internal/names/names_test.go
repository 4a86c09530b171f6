package names

import (
	"slices"
	"testing"
)

func TestDiff(t *testing.T) {
	one := func(name string) Wanted { return Wanted{Names: []string{name}, Label: name} }
	for _, tc := range []struct {
		name                string
		list                []Wanted
		called              []string
		missing, unexpected []string
		reason              string
	}{
		{"equal", []Wanted{one("a"), one("b")}, []string{"b", "a"}, nil, nil, "the order does not count"},
		{"a label twice", []Wanted{one("a"), one("a")}, nil, []string{"a"}, nil, "a set has it once"},
		{"another name", []Wanted{one("a")}, []string{"b"}, []string{"a"}, []string{"b"}, "both lists have one more"},
		{"a pattern", []Wanted{one("get_*")}, []string{"get_a", "get_b"}, nil, nil, "it matches several names"},
		{"optional", []Wanted{{Names: []string{"a"}, Label: "a", Optional: true}}, []string{"b"}, nil, []string{"b"}, "it is never missing"},
		{"alternatives", []Wanted{{Names: []string{"a", "x_*"}, Label: "a|x_*"}}, []string{"x_1"}, nil, nil, "one of the names is enough"},
	} {
		missing, unexpected := Diff(tc.list, tc.called)
		if !slices.Equal(missing, tc.missing) || !slices.Equal(unexpected, tc.unexpected) {
			t.Errorf("%s: missing %q, unexpected %q: %s", tc.name, missing, unexpected, tc.reason)
		}
	}
}

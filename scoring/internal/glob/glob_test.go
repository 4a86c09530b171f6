package glob

import (
	"regexp"
	"strings"
	"testing"
)

func TestEqual(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
		reason        string
	}{
		{"get", "get", true, "a pattern without a * is a name"},
		{"get", "get_a", false, "and no beginning of one"},
		{"get_*", "get_", true, "a * matches nothing as well"},
		{"get_*", "get", false, "what stands before it must be there"},
		{"*", "", true, "the empty name is a name"},
		{"*.id", "a.b.id", true, "a * matches dots"},
		{"a*c*e", "abcde", true, "there may be several"},
		{"a?c", "abc", false, "no other character is special"},
		{"*", "*", true, "a name may have a *"},
	} {
		if got := Equal(tc.pattern, tc.name); got != tc.want {
			t.Errorf("Equal(%q, %q) = %v: %s", tc.pattern, tc.name, got, tc.reason)
		}
	}
}

// FuzzGlob holds globs against regular expressions.
func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{{"*", ""}, {"a*b", "ab"}, {"a*b", "aXbXb"}, {"**", "x"}, {"*aab", "aaab"}, {"a*a", "a"}, {"*.get_*", "db.get_row"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `[\x00-\x{10FFFF}]*`)
		expression, err := regexp.Compile(`^(?:` + quoted + `)$`)
		if err != nil {
			return
		}
		if got, want := Match(pattern, name), expression.MatchString(name); got != want {
			t.Errorf("Match(%q, %q) = %v, want %v", pattern, name, got, want)
		}
	})
}

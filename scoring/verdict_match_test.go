package scoring

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checkMatches checks the laws of Matches.
func checkMatches(t *testing.T, v Verdict) {
	t.Helper()
	matches := v.Matches()
	expected, called := make([]int, len(v.Alignment.Expected)), make([]int, len(v.Alignment.Called))
	for _, m := range matches {
		if m.Expected >= 0 {
			expected[m.Expected]++
		}
		if m.Called >= 0 {
			called[m.Called]++
		}
	}
	for _, n := range slices.Concat(expected, called) {
		if v.Status == Scored && n != 1 {
			t.Errorf("an expected tool or a call stands in %d matches: %v", n, matches)
		}
	}
	if v.Status != Scored && matches != nil {
		t.Errorf("a run without a score has matches: %v", matches)
	}
}

func matchText(matches []Match) string {
	var text strings.Builder
	index := func(i int) string {
		if i < 0 {
			return ""
		}
		return strconv.Itoa(i)
	}
	for i, m := range matches {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(index(m.Expected) + "-" + index(m.Called) + " " + m.Class.String())
		for _, d := range m.Differences {
			text.WriteString(" " + d.Path)
		}
	}
	return text.String()
}

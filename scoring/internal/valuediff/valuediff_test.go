package valuediff

import (
	"fmt"
	"slices"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/objects"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// walked is each difference in a word: the path, with - before a missing and + before an extra one.
func walked(t *testing.T, expected, called string, rule Rule, most int) (all []string) {
	t.Helper()
	e, err := jsonvalue.Decode(expected)
	c, err2 := jsonvalue.Decode(called)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	Walk(e, c, rule, most, func(d Difference) {
		switch {
		case d.Missing:
			all = append(all, "-"+d.Path)
		case d.Extra:
			all = append(all, fmt.Sprintf("+%s of %d in %q", d.Path, d.Alike, d.Under))
		default:
			all = append(all, d.Path)
		}
	})
	return all
}

func TestWalk(t *testing.T) {
	for _, tc := range []struct {
		expected, called string
		rule             Rule
		want             []string
		reason           string
	}{
		{`{"lines":[{"sku":"a"}]}`, `{"lines":[{"sku":"b"}],"gift":true}`, Rule{}, []string{"lines[0].sku", `+gift of 1 in ""`}, "the example of the package"},
		{`{"a":1}`, `{"a":1.0}`, Rule{}, nil, "the numbers are equal"},
		{`{"a":1,"b":2}`, `{"c":3,"d":4}`, Rule{}, []string{"-a", "-b", `+c of 2 in ""`, `+d of 0 in ""`}, "the first extra key has the number of all"},
		{`{"a":1}`, `{"b":1}`, Rule{IgnoreExtra: true}, []string{"-a"}, "extra keys do not count"},
		{`{"a":1}`, `{"b":1}`, Rule{IgnoreMissing: true}, []string{`+b of 1 in ""`}, "missing keys do not count"},
		{`{"a":[{"x":1}]}`, `{"a":[{"x":1,"y":2}]}`, Rule{IgnoreExtra: true}, []string{`+a[0].y of 1 in "a[0]"`}, "an array is compared as a whole"},
		{`{"a":[1]}`, `{"a":[1,2]}`, Rule{}, []string{"a"}, "arrays of other lengths differ as a whole"},
		{`{"two words":1}`, `{}`, Rule{}, []string{`-["two words"]`}, "the key is no name"},
		{`1`, `2`, Rule{}, []string{""}, "the value as a whole has no path"},
		{`{"a":1,"b":2,"c":3,"d":4}`, `{}`, Rule{}, []string{"-a", "-b", "-c"}, "three are asked for"},
	} {
		most := max(3, len(tc.want))
		if got := walked(t, tc.expected, tc.called, tc.rule, most); !slices.Equal(got, tc.want) {
			t.Errorf("%s and %s differ at %q, want %q: %s", tc.expected, tc.called, got, tc.want, tc.reason)
		}
	}
}

func TestShown(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{`null`, "null", "a word"},
		{`true`, "true", "a word"},
		{`1.50`, "1.50", "a number keeps the form in which it was written"},
		{`"a\nb"`, `"a\nb"`, "a line break would break the sentence"},
		{`"0123456789"`, `"01234…"`, "eight bytes, of which the ellipsis takes three"},
		{`[1,2]`, "an array of 2", "what is inside may be long"},
		{`{"a":1}`, "an object of 1", "what is inside may be long"},
	} {
		v, err := jsonvalue.Decode(tc.text)
		if got := Shown(v, 8); err != nil || got != tc.want {
			t.Errorf("%s is shown as %s, want %s: %s", tc.text, got, tc.want, tc.reason)
		}
	}
}

// FuzzWalk: there is a difference exactly if the values do not agree under the rule, and no more than are asked for.
func FuzzWalk(f *testing.F) {
	f.Add(`{"a":1,"b":[{"c":2}]}`, `{"a":2,"b":[{"c":2,"d":1}]}`, uint8(3))
	f.Add(`{"a":{"b":1}}`, `{"a":{"b":1,"c":2}}`, uint8(1))
	f.Add(`[1,[2]]`, `[1,[3]]`, uint8(0))
	f.Fuzz(func(t *testing.T, a, b string, most uint8) {
		e, err := jsonvalue.Decode(a)
		c, err2 := jsonvalue.Decode(b)
		if err != nil || err2 != nil {
			return
		}
		for _, tc := range []struct {
			rule   Rule
			agree  bool
			reason string
		}{
			{Rule{}, jsonvalue.Equal(e, c), "all keys count"},
			{Rule{IgnoreExtra: true}, objects.Within(e, c), "extra keys do not count"},
			{Rule{IgnoreMissing: true}, objects.Within(c, e), "missing keys do not count"},
		} {
			n := 0
			Walk(e, c, tc.rule, 1+int(most), func(d Difference) {
				n++
				if d.Missing && tc.rule.IgnoreMissing && !slices.Contains([]byte(d.Path), '[') {
					t.Errorf("%s and %s: %s is missing: %s", a, b, d.Path, tc.reason)
				}
			})
			if n > 1+int(most) || (n == 0) != tc.agree {
				t.Errorf("%s and %s: %d differences of at most %d, and they agree: %v: %s", a, b, n, 1+int(most), tc.agree, tc.reason)
			}
		}
	})
}

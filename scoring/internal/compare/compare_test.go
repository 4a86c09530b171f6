package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

func decode(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestObjects(t *testing.T) {
	for _, tc := range []struct {
		a, b         string
		within       bool // a within b
		equal, union int  // keys
		similarity   float64
		reason       string
	}{
		{`{}`, `{"x":1}`, true, 0, 1, 1, "nothing is wanted"},
		{`{"x":1}`, `{"x":1.0,"y":2}`, true, 1, 2, 1, "values are equal, not texts"},
		{`{"x":1,"y":2}`, `{"x":1}`, false, 1, 2, 0.5, "one of two keys"},
		{`{"x":4}`, `{"x":3}`, false, 0, 1, 0.75, "numbers are near"},
		{`{"x":-1}`, `{"x":1}`, false, 0, 1, 0, "nearness is no less than 0"},
		{`{"x":"abcd"}`, `{"x":"bcde"}`, false, 0, 1, 0.75, "three characters of four, in both"},
		{`{"x":{"y":1}}`, `{"x":{"y":1,"z":2}}`, true, 0, 1, 0, "objects are within objects, and are alike only if they are equal"},
		{`{"x":[1]}`, `{"x":[1,2]}`, false, 0, 1, 0, "a list is within its equals only"},
		{`{"x":1}`, `{"x":"1"}`, false, 0, 1, 0, "kinds have nothing in common"},
		{`{"x":1e400}`, `{"x":1}`, false, 0, 1, 0, "a number beyond float64 is near none"},
	} {
		a, b := decode(t, tc.a), decode(t, tc.b)
		if got := Within(a, b); got != tc.within {
			t.Errorf("%s within %s: %v: %s", tc.a, tc.b, got, tc.reason)
		}
		if equal, union := shared(a, b, jsonvalue.Equal); equal != tc.equal || union != tc.union {
			t.Errorf("%s and %s share %d of %d keys, want %d of %d: %s", tc.a, tc.b, equal, union, tc.equal, tc.union, tc.reason)
		}
		if equal, union := shared(b, a, jsonvalue.Equal); equal != tc.equal || union != tc.union {
			t.Errorf("sharing is symmetric: %s and %s", tc.b, tc.a)
		}
		texts := names.Budget(MaxSteps)
		if got := 1 - Distance(a, b, &texts); got != tc.similarity {
			t.Errorf("%s and %s are %v alike, want %v: %s", tc.a, tc.b, got, tc.similarity, tc.reason)
		}
	}
}

func TestLikeness(t *testing.T) {
	for _, tc := range []struct {
		want, got       string
		axion, deepEval float64
		subset          bool
		reason          string
	}{
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, (1 + 2./3) / 2, 0.5, false, "the example of the package"},
		{`{"a":1}`, `{"a":1,"b":2}`, 1, 0.5, true, "Axion ignores what only the call has"},
		{`{"a":1}`, `{"a":1.0}`, 0, 1, true, "to Axion's fuzzy strategy an int and a float have nothing in common"},
		{`{"a":null}`, `{"a":null}`, 0, 1, true, "to Axion's fuzzy strategy null is like nothing"},
		{`{"a":2}`, `{"a":-2}`, -1, 0, false, "numbers of opposite signs are less than unlike"},
		{`{"a":0}`, `{"a":1}`, 0, 0, false, "next to zero nothing but zero is alike"},
		{`{"a":0}`, `{"a":-0}`, 1, 1, true, "zero is alike to zero"},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567890}`, 1, 1, true, "ints have any size"},
		{`{"a":9007199254740993}`, `{"a":36028797018963972}`, 0.25, 0, false, "ints beyond the digits of a float are divided exactly"},
		{`{"a":-36028797018963972}`, `{"a":-9007199254740993}`, 0.25, 0, false, "the larger of two such ints may be the expected one"},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, 0.9999999999999999, 0, false, "as floats the two are equal"},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"x":1}}`, (0.5 + 1) / 2, 0.5, false, "objects inside count by their keys"},
		{`{"a":[1,2]}`, `{"a":[1,3]}`, 0, 0, false, "arrays are equal or not"},
		{`{"a":"abcd"}`, `{"a":"abcx"}`, 0.75, 0, false, "texts are alike by difflib's ratio"},
	} {
		want, got := decode(t, tc.want), decode(t, tc.got)
		texts := names.Budget(MaxSteps)
		axion := Axion(want, got, &texts)
		deepEval, _ := DeepEval(want, got)
		if axion != tc.axion || deepEval != tc.deepEval || WithinBy(want, got, Python) != tc.subset {
			t.Errorf("%s and %s: Axion %v, subset %v, DeepEval %v, want %v, %v, %v: %s", tc.want, tc.got, axion, WithinBy(want, got, Python), deepEval,
				tc.axion, tc.subset, tc.deepEval, tc.reason)
		}
	}
}

// FuzzLikeness checks what holds for any two objects.
func FuzzLikeness(f *testing.F) {
	f.Add(`{"a":1,"b":{"c":"text"}}`, `{"a":2.5,"b":{"c":"test","d":[1]}}`)
	f.Add(`{"a":-1,"b":null}`, `{"a":true,"b":null}`)
	f.Add(`{"a":1e999}`, `{"a":-1e999}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		want, err := jsonvalue.Decode(a)
		got, err2 := jsonvalue.Decode(b)
		if err != nil || err2 != nil || want.Kind() != jsonvalue.Object || got.Kind() != jsonvalue.Object || want.Len() == 0 {
			return
		}
		texts := names.Budget(MaxSteps)
		axion := Axion(want, got, &texts)
		if axion > 1 || axion < -1 && !math.IsInf(axion, -1) { // a difference beyond the largest float64
			t.Errorf("%s and %s: Axion's likeness is %v", a, b, axion)
		}
		share, equal := DeepEval(want, got)
		const rounding = 1e-9
		if math.IsNaN(share) || share < 0 || share > 1+rounding {
			t.Errorf("%s and %s: DeepEval's share is %v", a, b, share)
		}
		if deep := Python(want, got); equal != deep || deep && !WithinBy(want, got, Python) {
			t.Errorf("%s and %s: equal is %v to DeepEval, %v to Python, a subset is %v", a, b, equal, deep, WithinBy(want, got, Python))
		}
		if back, _ := DeepEval(got, want); math.Abs(back-share) > rounding {
			t.Errorf("%s and %s: DeepEval's share is %v, and %v the other way round", a, b, share, back)
		}
	})
}

func TestContentOf(t *testing.T) {
	for _, tc := range []struct {
		blocks string
		texts  []string
		json   string
		ok     bool
		reason string
	}{
		{`[{"type":"text","text":"a"},{"text":"b"}]`, []string{"a", "b"}, "", true, "MCP writes a type, Strands does not"},
		{`{"type":"text","text":"a","annotations":null}`, []string{"a"}, "", true, "one block may stand alone"},
		{`{"content":[{"type":"text","text":"a"}],"isError":false}`, []string{"a"}, "", true, "the envelope is MCP's"},
		{`[{"json":{"k":1}}]`, nil, `{"k":1}`, true, "Strands' block of JSON"},
		{`[{"type":"text","text":"a"},{"type":"image","data":""}]`, nil, "", false, "the image would be lost"},
		{`[]`, nil, "", false, "there is no block"},
		{`{"text":"a"}`, nil, "", false, "a tool may well return that"},
		{`{"content":[{"text":"a"}],"other":1}`, nil, "", false, "the other key is the tool's own"},
	} {
		c, ok := ContentOf(decode(t, tc.blocks))
		if ok != tc.ok || !slices.Equal(c.Texts, tc.texts) || tc.json != "" && !jsonvalue.Equal(c.JSON, decode(t, tc.json)) {
			t.Errorf("%s is %q, %v: %s", tc.blocks, c.Texts, ok, tc.reason)
		}
	}
}

// FuzzAgrees: an output agrees with itself, in blocks as without, and whether two agree does not depend on what was asked
// before.
func FuzzAgrees(f *testing.F) {
	for _, text := range []string{`42`, `"42"`, `[{"type":"text","text":"42"}]`, `"[{\"json\":1}]"`, `{"content":[{"text":"a"},{"text":"b"}]}`} {
		f.Add(text, `[{"json":1}]`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		v, err := jsonvalue.Decode(a)
		if err != nil {
			return
		}
		wanted, called := Wanted(a, true, v), Called(a, true, v)
		if !wanted.Agrees(&called, jsonvalue.Equal) {
			t.Errorf("%s does not agree with itself", a)
		}
		if text := v.Text(); v.Kind() == jsonvalue.String && strings.TrimSpace(text) != "" {
			quoted := `[{"json":` + a + `}]`
			if block, err := jsonvalue.Decode(quoted); err == nil {
				inBlock := Called(quoted, true, block)
				if !wanted.Agrees(&inBlock, jsonvalue.Equal) {
					t.Errorf("%s does not agree with itself in a block", a)
				}
			}
		}
		w, err := jsonvalue.Decode(b)
		if err != nil {
			return
		}
		other := Called(b, true, w)
		first := wanted.Agrees(&other, jsonvalue.Equal)
		if again := wanted.Agrees(&other, jsonvalue.Equal); first != again {
			t.Errorf("%s and %s agree: %v, then %v", a, b, first, again)
		}
	})
}

func TestRewrite(t *testing.T) {
	for _, tc := range []struct {
		claim           string
		ignore          []string
		defaults, value string
		want            string
		reason          string
	}{
		{"as it is", nil, `{}`, `{"b":1.0,"a":[1e2,"x\ty\"\\",null,true,{}]}`, `{"b":1.0,"a":[1e2,"x\u0009y\"\\",null,true,{}]}`, "numbers and the order of keys stay"},
		{"bytes that are no UTF-8", nil, `{}`, "{\"a\":\"\xff\"}", "{\"a\":\"\xff\"}", "they stay, too"},
		{"a key", []string{"x", "id"}, `{}`, `{"id":1,"b":2}`, `{"b":2}`, "one of the patterns matches"},
		{"keys below", []string{"meta.*"}, `{}`, `{"meta":{"id":1,"at":{"x":1}},"b":2}`, `{"meta":{},"b":2}`, "a * matches dots as well"},
		{"keys in lists", []string{"lines[*].id"}, `{}`, `{"lines":[{"id":1,"n":1},{"n":2}]}`, `{"lines":[{"n":1},{"n":2}]}`, "an index is part of a path"},
		{"a default", nil, `{"n":10,"m":1.0}`, `{"m":2}`, `{"m":2,"n":10}`, "only what is missing is filled in"},
		{"a default below", nil, `{"page":{"n":10}}`, `{"page":{"m":1}}`, `{"page":{"m":1,"n":10}}`, "objects are filled in"},
		{"a default that is ignored", []string{"n"}, `{"n":10}`, `{}`, `{}`, "what does not count is not filled in"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			v, defaults := decode(t, tc.value), decode(t, tc.defaults)
			work := names.Budget(1000)
			if got := Rewrite(v, &Changes{Ignore: tc.ignore, Defaults: defaults}, &work); got != tc.want {
				t.Errorf("wrote %s, want %s: %s", got, tc.want, tc.reason)
			}
			var none names.Budget
			if got := Rewrite(v, &Changes{Ignore: tc.ignore, Defaults: defaults}, &none); len(tc.ignore) > 0 && got != "{}" {
				t.Errorf("without work it wrote %s", got)
			}
		})
	}
}

// differencesOf is each difference in a word: the path, with - before a missing and + before an extra one.
func differencesOf(t *testing.T, expected, called string, rule Rule, most int) (all []string) {
	t.Helper()
	for _, d := range Differences(decode(t, expected), decode(t, called), rule, most) {
		switch {
		case d.Missing:
			all = append(all, "-"+d.Path)
		case d.Extra:
			all = append(all, fmt.Sprintf("+%s of %d in %q", d.Path, d.Alike, d.Under))
		default:
			all = append(all, d.Path)
		}
	}
	return all
}

func TestDifferences(t *testing.T) {
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
		if got := differencesOf(t, tc.expected, tc.called, tc.rule, most); !slices.Equal(got, tc.want) {
			t.Errorf("%s and %s differ at %q, want %q: %s", tc.expected, tc.called, got, tc.want, tc.reason)
		}
	}
}

// FuzzDifferences: there is a difference exactly if the values do not agree under the rule, and no more than are asked for.
func FuzzDifferences(f *testing.F) {
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
			{Rule{IgnoreExtra: true}, Within(e, c), "extra keys do not count"},
			{Rule{IgnoreMissing: true}, Within(c, e), "missing keys do not count"},
		} {
			found := Differences(e, c, tc.rule, 1+int(most))
			for _, d := range found {
				if d.Missing && tc.rule.IgnoreMissing && !slices.Contains([]byte(d.Path), '[') {
					t.Errorf("%s and %s: %s is missing: %s", a, b, d.Path, tc.reason)
				}
			}
			if n := len(found); n > 1+int(most) || (n == 0) != tc.agree {
				t.Errorf("%s and %s: %d differences of at most %d, and they agree: %v: %s", a, b, n, 1+int(most), tc.agree, tc.reason)
			}
		}
	})
}

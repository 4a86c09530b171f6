package outputs

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

func decoded(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAgrees(t *testing.T) {
	for _, tc := range []struct {
		wanted, called string
		agree          bool
		reason         string
	}{
		{`"42"`, `42`, true, "a tool that returned the text leaves just that on its span"},
		{`42`, `"42"`, false, "a number was expected, and a text is sure to have come"},
		{`"42"`, `42.0`, false, "a number may be written so, the text 42 not"},
		{`"mild"`, `[{"type":"text","text":"mild"}]`, true, "the blocks are the server's"},
		{`[{"type":"text","text":"mild"}]`, `"mild"`, true, "the blocks were taken off the call"},
		{`"[{\"type\":\"text\",\"text\":\"mild\"}]"`, `"mild"`, true, "the test case has the blocks as text"},
		{`"mild"`, `"[{\"type\":\"text\",\"text\":\"mild\"}]"`, false, "what a tool wrote into a text stays a text"},
		{`[{"json":7}]`, `{"content":[{"json":7}]}`, true, "both have blocks around the same value"},
	} {
		w, c := Wanted(tc.wanted, true, decoded(t, tc.wanted)), Called(tc.called, true, decoded(t, tc.called))
		if got := w.Agrees(&c, jsonvalue.Equal); got != tc.agree {
			t.Errorf("%s and %s agree: %v: %s", tc.wanted, tc.called, got, tc.reason)
		}
	}
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
		c, ok := ContentOf(decoded(t, tc.blocks))
		if ok != tc.ok || !slices.Equal(c.Texts, tc.texts) || tc.json != "" && !jsonvalue.Equal(c.JSON, decoded(t, tc.json)) {
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

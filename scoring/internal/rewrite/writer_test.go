package rewrite

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

func TestWriter(t *testing.T) {
	for _, tc := range []struct {
		claim           string
		ignore          []string
		defaults, value string
		want            string
		used            Use
		reason          string
	}{
		{"as it is", nil, `{}`, `{"b":1.0,"a":[1e2,"x\ty\"\\",null,true,{}]}`, `{"b":1.0,"a":[1e2,"x\u0009y\"\\",null,true,{}]}`, Use{}, "numbers and the order of keys stay"},
		{"bytes that are no UTF-8", nil, `{}`, "{\"a\":\"\xff\"}", "{\"a\":\"\xff\"}", Use{}, "they stay, too"},
		{"a key", []string{"x", "id"}, `{}`, `{"id":1,"b":2}`, `{"b":2}`, Use{Ignored: 2}, "the second pattern was met"},
		{"keys below", []string{"meta.*"}, `{}`, `{"meta":{"id":1,"at":{"x":1}},"b":2}`, `{"meta":{},"b":2}`, Use{Ignored: 1}, "a * matches dots as well"},
		{"keys in lists", []string{"lines[*].id"}, `{}`, `{"lines":[{"id":1,"n":1},{"n":2}]}`, `{"lines":[{"n":1},{"n":2}]}`, Use{Ignored: 1}, "an index is part of a path"},
		{"a default", nil, `{"n":10,"m":1.0}`, `{"m":2}`, `{"m":2,"n":10}`, Use{Filled: 1}, "only what is missing is filled in"},
		{"a default below", nil, `{"page":{"n":10}}`, `{"page":{"m":1}}`, `{"page":{"m":1,"n":10}}`, Use{}, "objects are filled in, and only keys at the top are counted"},
		{"a default that is ignored", []string{"n"}, `{"n":10}`, `{}`, `{}`, Use{Ignored: 1, Filled: 0}, "what does not count is not filled in"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			v, defaults := decode(t, tc.value), decode(t, tc.defaults)
			w := Writer{Ignore: tc.ignore}
			if got := w.Text(v, defaults); got != tc.want {
				t.Errorf("wrote %s, want %s: %s", got, tc.want, tc.reason)
			}
			if tc.used != w.Used {
				t.Errorf("used %v, want %v: %s", w.Used, tc.used, tc.reason)
			}
			w = Writer{Ignore: tc.ignore}
			if got := w.Value(v, defaults); !jsonvalue.Equal(got, decode(t, tc.want)) {
				t.Errorf("the value is another one: %s", tc.reason)
			}
		})
	}
}

func decode(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

package safename

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		limit    int
		want     string
		reason   string
	}{
		{"plain", "get_weather", 64, "get_weather", "nothing to escape"},
		{"empty", "", 64, "", "nothing to show"},
		{"letters of any script", "tür_東京", 64, "tür_東京", "they can be seen"},
		{"a backslash", `App\Tools\Search`, 64, `App\Tools\Search`, "names of classes have them"},
		{"control characters", "a\n\x00\x7f\u0085b", 64, `a\n\x00\x7f\u0085b`, "one line, and no terminal obeys it"},
		{"an escape sequence", "\x1b[31mred", 64, `\x1b[31mred`, "no terminal obeys it"},
		{"marks of direction", "a\u202eb\u2066c\u200fd\u061ce", 64, `a\u202eb\u2066c\u200fd\u061ce`, "they rearrange what stands around them"},
		{"what has no width", "pay\u200b\ufeff", 64, `pay\u200b\ufeff`, "two names must not look alike"},
		{"beyond 16 bits", "a\U000e0041", 64, `a\U000e0041`, "tags cannot be seen"},
		{"line and paragraph separators", "a\u2028b\u2029", 64, `a\u2028b\u2029`, "one line"},
		{"no UTF-8", "a\xff\xe6\x9d", 64, `a\xff\xe6\x9d`, "byte by byte"},
		{"as long as it may be", strings.Repeat("a", 10), 10, strings.Repeat("a", 10), "it fits"},
		{"too long", strings.Repeat("a", 11), 10, "aaaaaaa…", "the ellipsis counts"},
		{"a character that does not fit", "aaaaaaaé" + "bbb", 11, "aaaaaaa…", "it is not cut in two"},
		{"an escape that does not fit", "aaaaaaa\u202e", 11, "aaaaaaa…", "it is not cut in two"},
		{"a limit that is no limit", strings.Repeat("a", 11), 0, "aaaaa…", "8 is the least"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Of(tc.in, tc.limit); got != tc.want {
				t.Errorf("Of(%q, %d) = %q, want %q: %s", tc.in, tc.limit, got, tc.want, tc.reason)
			}
		})
	}
}

// FuzzOf keeps the promises of the package comment.
func FuzzOf(f *testing.F) {
	f.Add("plain", 64)
	f.Add("a\u202e\xff\n漢字😀", 12)
	f.Add(strings.Repeat("é", 50), 33)
	f.Fuzz(func(t *testing.T, name string, limit int) {
		got := Of(name, limit)
		if !utf8.ValidString(got) || len(got) > max(limit, 8) {
			t.Errorf("Of(%q, %d) = %q of %d bytes", name, limit, got, len(got))
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Errorf("%q shows %U", got, r)
			}
		}
		if again := Of(got, limit); again != got {
			t.Errorf("what is safe became %q, from %q", again, got)
		}
		if len(name) <= limit && plain(name) && got != name {
			t.Errorf("%q became %q", name, got)
		}
	})
}

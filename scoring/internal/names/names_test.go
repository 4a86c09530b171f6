package names

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzGlob holds globs against regular expressions: a * matches any characters, also none, and no other character is special.
func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{
		{"get", "get"}, {"get", "get_a"}, {"get_*", "get_"}, {"get_*", "get"}, {"*.id", "a.b.id"}, {"a*c*e", "abcde"}, {"a?c", "abc"}, {"*", "*"},
		{"*", ""}, {"a*b", "ab"}, {"a*b", "abc"}, {"a*b", "aXbXb"}, {"**", "x"}, {"*aab", "aaab"}, {"a*a", "a"}, {"*.get_*", "db.get_row"},
	} {
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

// Each entry of a name is found once.
func TestIndex(t *testing.T) {
	var x Index
	for i, names := range [][]string{{"a"}, {"a", "a*"}, {"*", "a*"}, {"b*"}, {"b"}} {
		for _, name := range names {
			if alone := x.Add(name, int32(i)); alone != (i == 0 || i == 4) {
				t.Errorf("%s of %d is alone: %v", name, i, alone)
			}
		}
	}
	work := Budget(10_000)
	var memory []int32
	for range 2 { // the memory is used again
		for _, tc := range []struct {
			name   string
			want   []int32
			reason string
		}{
			{"a", []int32{0, 1, 2}, "a name and a pattern of one entry are one"},
			{"ab", []int32{1, 2}, "two patterns of one entry are one"},
			{"b", []int32{4, 2, 3}, "names come before patterns"},
			{"", []int32{2}, "any name"},
		} {
			if found := x.Of(tc.name, &memory, &work); !slices.Equal(found, tc.want) {
				t.Errorf("%q has the entries %v, want %v: %s", tc.name, found, tc.want, tc.reason)
			}
		}
	}
	work = Budget(20)
	if found := x.Of("ab", &memory, &work); len(found) > 1 || !work.Spent() {
		t.Errorf("%v and %d steps are left: a step is a byte", found, work)
	}
}

func TestSafe(t *testing.T) {
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
			if got := Safe(tc.in, tc.limit); got != tc.want {
				t.Errorf("Safe(%q, %d) = %q, want %q: %s", tc.in, tc.limit, got, tc.want, tc.reason)
			}
		})
	}
}

// A strange byte is found wherever it stands, whatever stands beside it.
func TestPlain(t *testing.T) {
	for _, fill := range []byte{' ', 'a', '~'} {
		for length := range 20 {
			name := slices.Repeat([]byte{fill}, length)
			if !plain(string(name)) {
				t.Errorf("%q is not plain", name)
			}
			for at := range name {
				for b := range 256 {
					name[at] = byte(b)
					if plain(string(name)) != (b >= ' ' && b <= '~') {
						t.Errorf("plain(%q) = %v", name, plain(string(name)))
					}
				}
				name[at] = fill
			}
		}
	}
}

// FuzzSafe keeps the promises of the package comment.
func FuzzSafe(f *testing.F) {
	f.Add("plain", 64)
	f.Add("a\u202e\xff\n漢字😀", 12)
	f.Add(strings.Repeat("é", 50), 33)
	f.Fuzz(func(t *testing.T, name string, limit int) {
		got := Safe(name, limit)
		if !utf8.ValidString(got) || len(got) > max(limit, 8) {
			t.Errorf("Safe(%q, %d) = %q of %d bytes", name, limit, got, len(got))
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Errorf("%q shows %U", got, r)
			}
		}
		if again := Safe(got, limit); again != got {
			t.Errorf("what is safe became %q, from %q", again, got)
		}
		if len(name) <= limit && plain(name) && got != name {
			t.Errorf("%q became %q", name, got)
		}
	})
}

package toolname

import (
	"testing"
	"unicode"
)

func TestNamesOfOneTool(t *testing.T) {
	for _, tc := range []struct {
		a, b   string
		want   bool
		reason string
	}{
		{"get_weather", "GetWeather", true, "case and separators do not distinguish tools"},
		{"get_weather", "get_weather2", false, "a digit does"},
		{"+", "-", false, "names without letters and digits stay as they are"},
		{"Größe_messen", "GRÖSSE-MESSEN", false, "a letter is compared by its lower case, and never spelled out"},
		{"größe_messen", "GRÖẞE MESSEN", true, "letters beyond ASCII have cases too"},
	} {
		if got := Same(tc.a, tc.b); got != tc.want {
			t.Errorf("%q and %q are one tool: %v, want %v: %s", tc.a, tc.b, got, tc.want, tc.reason)
		}
	}
}

// ASCII has a shorter way. It is the way of Unicode.
func TestFoldedFollowsUnicode(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := rune(-1)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			want = unicode.ToLower(r)
		}
		if got := foldedRune(r); got != want {
			t.Errorf("%U folds to %U, want %U", r, got, want)
		}
	}
}

func FuzzSame(f *testing.F) {
	for _, s := range [][2]string{
		{"get_weather", "GetWeather"}, {"get_weather", "get_weather2"}, {"+", "-"}, {"+", ""}, {"_a_", "A"}, {"\xff_a", "a\xfe"}, {"GRÖẞE", "größe"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if got, want := Same(a, b), Key(a) == Key(b); got != want {
			t.Errorf("%q and %q are one tool: %v, and their keys are equal: %v", a, b, got, want)
		}
	})
}

func TestSpellings(t *testing.T) {
	spellings := make(Spellings)
	for _, name := range []string{"get_weather", "search", "get_weather", "send_mail", "sendMail", "+"} {
		spellings.Add(Key(name), name)
	}
	for _, tc := range []struct {
		spelled, want string
		known         bool
		reason        string
	}{
		{"getWeather", "get_weather", true, "a name that was added again is still one"},
		{"SEARCH", "search", true, "case does not distinguish tools"},
		{"Send-Mail", "", true, "two names have the key, and either may be meant"},
		{"-", "", false, "a name of separators alone is another than +"},
		{"refund", "", false, "it was not added"},
	} {
		if name, known := spellings[Key(tc.spelled)]; name != tc.want || known != tc.known {
			t.Errorf("%q is %q (%v), want %q (%v): %s", tc.spelled, name, known, tc.want, tc.known, tc.reason)
		}
	}
}

package words

import (
	"strings"
	"testing"
)

// A text is cut off if its brackets do not end, wherever the cut is. Strings may have any brackets. Prose is never cut off.
func TestTextsThatAreCut(t *testing.T) {
	const message = `[{"role":"assistant","parts":[{"type":"text","content":"]}]}]"},{"type":"text","content":"a \" b \\"}],"n":[1,null]}]`
	for at := 1; at < len(message); at++ {
		if cut := message[:at]; !IsCut(cut) || !cutByRoles(cut, true) || !cutByRoles(cut, false) {
			t.Errorf("%s counts as whole", cut)
		}
	}
	for text, want := range map[string]struct{ cut, document bool }{
		message:                      {false, true},
		message + "\n":               {false, true},
		message[:30]:                 {true, true},
		`[{"a":[{"b":"c"}]`:          {true, true},
		`{"a":[{"b":"c"}`:            {true, true},
		`{"a":1}`:                    {false, true},
		`{}`:                         {false, true},
		`[[]]`:                       {false, true},
		`{"a":NaN}`:                  {false, true},
		`{"a":1} is the answer`:      {false, false},
		`["a"] is the answer, see [`: {false, false},
		`[1] says so`:                {false, false},
		`{name}, good morning`:       {false, false},
		`{'a': 1`:                    {false, false},
		"the answer is [":            {false, false},
		"<redacted>":                 {false, false},
		"":                           {false, false},
		" ":                          {false, false},
	} {
		if cut, document := IsCut(text), IsDocument(text); cut != want.cut || document != want.document {
			t.Errorf("%s: cut %t, a document %t", text, cut, document)
		}
		if cutByRoles(text, true) != want.cut || cutByRoles(text, false) != want.cut {
			t.Errorf("%s: OuterRoles disagrees", text)
		}
	}
}

func cutByRoles(text string, all bool) bool {
	_, _, cut := OuterRoles(text, func(string) bool { return all })
	return cut
}

func BenchmarkIsCut(b *testing.B) {
	text := `[{"text":"` + strings.Repeat(`It is \"mild\" in Oslo.\n`, 80) + `"}]`
	for b.Loop() {
		IsCut(text)
	}
}

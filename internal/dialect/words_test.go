package dialect

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// wordLists are the lists that texts are searched for.
var wordLists = map[string]wordList{
	"one":                   wordsOf("tool_call"),
	"one that is longer":    wordsOf("tool_call_response"),
	"with a point":          wordsOf("gen_ai.choice"),
	"with capitals":         wordsOf("toolCallId"),
	"short":                 wordsOf("text", "json"),
	"two":                   wordsOf("functionCall", "function_call"),
	"many":                  wordsOf("tool_calls", "tool_use", "function_call", "functionCall"),
	"of several rare bytes": wordsOf("tools", "tool_call_id", "tool_result", "function_call_output"),
}

// A text has a word if and only if strings.Contains finds one. The texts are made of parts of words and of the bytes that the
// search starts with. Words are at all distances from the ends.
func TestWordsAreThoseContained(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, words := range wordLists {
		t.Run(name, func(t *testing.T) {
			found, all := 0, 20_000
			if testing.Short() {
				all /= 5
			}
			for range all {
				text := textOfParts(rng, words)
				got, want := words.in(text), containsWord(text, words)
				if got != want {
					t.Fatalf("in says %v, strings.Contains %v of %q", got, want, text)
				}
				if got {
					found++
				}
			}
			if found < all/20 || found > all*19/20 {
				t.Errorf("%d of %d texts have a word: the test is of one answer only", found, all)
			}
		})
	}
}

func containsWord(text string, words wordList) bool {
	return slices.ContainsFunc(wordTexts(words), func(word string) bool { return strings.Contains(text, word) })
}

// wordTexts are the words of a list with their quotes.
func wordTexts(words wordList) []string {
	var all []string
	for _, r := range words {
		for _, w := range r.words {
			all = append(all, w.text)
		}
	}
	return all
}

// textOfParts puts pieces of the words together, now and then a whole one, with more of the rare byte between them or
// none.
func textOfParts(rng *rand.Rand, words wordList) string {
	var b strings.Builder
	entire, dense := rng.IntN(40), rng.IntN(3)
	for range rng.IntN(40) {
		r := words[rng.IntN(len(words))]
		w := r.words[rng.IntN(len(r.words))].text
		switch {
		case rng.IntN(40*8) < entire:
			b.WriteString(w)
		case dense == 0:
			b.WriteString(strings.Repeat(string(r.value), rng.IntN(4)))
		case dense == 1:
			b.WriteString(strings.Repeat("prose ", rng.IntN(40)))
		}
		from := rng.IntN(len(w))
		b.WriteString(w[from : from+rng.IntN(len(w)-from)])
	}
	return b.String()
}

// FuzzWords looks for every word in any text.
func FuzzWords(f *testing.F) {
	for _, words := range wordLists {
		for _, word := range wordTexts(words) {
			f.Add(word)
			f.Add(word[1:] + strings.Repeat("_", 40) + word[:len(word)-1] + word)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, words := range wordLists {
			if got, want := words.in(text), containsWord(text, words); got != want {
				t.Errorf("%s: in says %v, strings.Contains %v", name, got, want)
			}
		}
	})
}

func TestNoWordsAreInEveryText(t *testing.T) {
	if !wordList(nil).in("") {
		t.Error("where no word is needed, none is missing")
	}
}

// BenchmarkWords looks for a word that is not in 2 KiB of prose with quotes, by its rarest byte and by its first one.
func BenchmarkWords(b *testing.B) {
	text := strings.Repeat(`{"role": "user", "content": "What is the weather in Paris on Sunday?"}, `, 28)
	b.Run("by=rarest", func(b *testing.B) {
		words := wordsOf("tool_call_response")
		for b.Loop() {
			if words.in(text) {
				b.Fatal("it is there")
			}
		}
	})
	b.Run("by=first", func(b *testing.B) {
		for b.Loop() {
			if strings.Contains(text, `"tool_call_response"`) {
				b.Fatal("it is there")
			}
		}
	})
}

// A text is cut off if its brackets do not end, wherever the cut is. Strings may have any brackets. Prose is never cut off.
func TestTextsThatAreCut(t *testing.T) {
	const message = `[{"role":"assistant","parts":[{"type":"text","content":"]}]}]"},{"type":"text","content":"a \" b \\"}],"n":[1,null]}]`
	for length := 1; length < len(message); length++ {
		if cut := message[:length]; !isCutJSON(cut) || !cutByRoles(cut, true) || !cutByRoles(cut, false) {
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
		if cut, document := isCutJSON(text), isDocument(text); cut != want.cut || document != want.document {
			t.Errorf("%s: cut %t, a document %t", text, cut, document)
		}
		if cutByRoles(text, true) != want.cut || cutByRoles(text, false) != want.cut {
			t.Errorf("%s: outerRoles disagrees", text)
		}
	}
}

func cutByRoles(text string, all bool) bool {
	_, _, cut := outerRoles(text, func(string) bool { return all })
	return cut
}

func BenchmarkIsCutJSON(b *testing.B) {
	text := `[{"text":"` + strings.Repeat(`It is \"mild\" in Oslo.\n`, 80) + `"}]`
	for b.Loop() {
		isCutJSON(text)
	}
}

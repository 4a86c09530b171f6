package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// allWords are the lists that texts are searched for.
var allWords = map[string]List{
	"one": Of("tool_call"), "one that is longer": Of("tool_call_response"), "with a point": Of("gen_ai.choice"), "with capitals": Of("toolCallId"),
	"short": Of("text", "json"), "two": Of("functionCall", "function_call"),
	"many": Of("tool_calls", "tool_use", "function_call", "functionCall"), "of several rare bytes": Of("tools", "tool_call_id", "tool_result", "function_call_output"),
}

// A text has a word if and only if strings.Contains finds one. The texts are made of parts of words and of the bytes that the
// search starts with. Words are at all distances from the ends.
func TestWordsAreThoseContained(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, list := range allWords {
		t.Run(name, func(t *testing.T) {
			found, all := 0, 20_000
			if testing.Short() {
				all /= 5
			}
			for range all {
				text := textOfParts(rng, list)
				got, want := list.In(text), contains(text, list)
				if got != want {
					t.Fatalf("In says %v, strings.Contains %v of %q", got, want, text)
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

func contains(text string, list List) bool {
	return slices.ContainsFunc(texts(list), func(word string) bool { return strings.Contains(text, word) })
}

// texts are the words of a list with their quotes.
func texts(list List) []string {
	var all []string
	for _, r := range list {
		for _, w := range r.words {
			all = append(all, w.text)
		}
	}
	return all
}

// textOfParts puts pieces of the words together, now and then a whole one, with more of the rare byte between them or
// none.
func textOfParts(rng *rand.Rand, list List) string {
	var b strings.Builder
	whole, dense := rng.IntN(40), rng.IntN(3)
	for range rng.IntN(40) {
		r := list[rng.IntN(len(list))]
		w := r.words[rng.IntN(len(r.words))].text
		switch {
		case rng.IntN(40*8) < whole:
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
	for _, list := range allWords {
		for _, word := range texts(list) {
			f.Add(word)
			f.Add(word[1:] + strings.Repeat("_", 40) + word[:len(word)-1] + word)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, list := range allWords {
			if got, want := list.In(text), contains(text, list); got != want {
				t.Errorf("%s: In says %v, strings.Contains %v", name, got, want)
			}
		}
	})
}

func TestNoWordsAreInEveryText(t *testing.T) {
	if !List(nil).In("") {
		t.Error("where no word is needed, none is missing")
	}
}

// BenchmarkWords looks for a word that is not in 2 KiB of prose with quotes, by its rarest byte and by its first one.
func BenchmarkWords(b *testing.B) {
	text := strings.Repeat(`{"role": "user", "content": "What is the weather in Paris on Sunday?"}, `, 28)
	b.Run("by=rarest", func(b *testing.B) {
		list := Of("tool_call_response")
		for b.Loop() {
			if list.In(text) {
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

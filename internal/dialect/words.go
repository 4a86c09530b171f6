package dialect

import (
	"math"
	"slices"
	"strings"
)

// A wordList has JSON strings that a text is searched for, so that a text without any of them need not be decoded.
//
// Most texts have none of the words, so the search looks for their rarest byte: in 2 KiB, one word takes 20 ns instead of 560 (BenchmarkWords).
// The quote with which all begin is frequent in JSON.
//
// A text may lack its words because it was cut off: [isCutJSON] and [isDocument] tell the texts of programs from prose by their brackets.
type wordList []rareByte

// A rareByte is the rarest byte of some words.
type rareByte struct {
	value byte
	words []quotedWord
}

type quotedWord struct {
	text string
	at   int // where the rare byte stands first
}

// byRarity has bytes that are rare in messages, which are prose and JSON, the rarest first. All other bytes are more frequent.
const byRarity = "QZXJKVWUYqzjxCIRT-_kvbwypgfmcu"

// wordsOf is the list of the given words, each in quotes. It is called once for each list.
func wordsOf(words ...string) wordList {
	var all wordList
	for _, word := range words {
		text := `"` + word + `"`
		place := rarestByte(text)
		i := slices.IndexFunc(all, func(r rareByte) bool { return r.value == text[place] })
		if i < 0 {
			i, all = len(all), append(all, rareByte{value: text[place]})
		}
		all[i].words = append(all[i].words, quotedWord{text, place})
	}
	return all
}

// rarestByte is the first place of the rarest byte of text.
func rarestByte(text string) int {
	for i := range len(byRarity) {
		if place := strings.IndexByte(text, byRarity[i]); place >= 0 {
			return place
		}
	}
	return 0
}

// in reports whether text has one of the words. If there are no words, it returns true.
func (a wordList) in(text string) bool {
	for i := range a {
		if a[i].in(text) {
			return true
		}
	}
	return len(a) == 0
}

// in stops at each place of the byte. Where that is frequent after all, the stops cost more than what strings.Contains does.
func (r *rareByte) in(text string) bool {
	const few, apart = 8, 32 // few stops are allowed, and one more for each apart bytes
	place := 0
	for stops := 0; stops <= few+place/apart; stops++ {
		i := strings.IndexByte(text[place:], r.value)
		if i < 0 {
			return false
		}
		place += i
		for j := range r.words {
			w := &r.words[j]
			if start := place - w.at; start >= 0 && text[start] == '"' && strings.HasPrefix(text[start:], w.text) {
				return true
			}
		}
		place++
	}
	// A word has no such byte in front of its first one, so none begins before the last stop.
	return slices.ContainsFunc(r.words, func(w quotedWord) bool { return strings.Contains(text[place:], w.text) })
}

// isDocument reports whether a text begins as a JSON object or list of a program, and nothing follows its end, which may be missing.
func isDocument(text string) bool {
	end, _ := extentOfJSON(text)
	return beginsJSON(text) && skipSpace(text[end:]) == ""
}

// isCutJSON reports whether a text begins as a JSON object or list of a program, and its first bracket is not closed. It reads the
// whole text: who writes a string in it decides where it is cut off, and so how it ends.
func isCutJSON(text string) bool {
	if !beginsJSON(text) {
		return false
	}
	_, isClosed := extentOfJSON(text)
	return !isClosed
}

// beginsJSON reports whether the first brackets are those of JSON: a key follows that of an object.
func beginsJSON(text string) bool {
	for list := true; list; {
		text = skipSpace(text)
		if text == "" || text[0] != '{' && text[0] != '[' {
			return false
		}
		list = text[0] == '['
		text = skipSpace(text[1:])
		if text == "" || text[0] == '"' || list && text[0] == ']' || !list && text[0] == '}' {
			return true
		}
	}
	return false
}

// skipSpace is text without the white space in front. Nearly always there is none.
func skipSpace(text string) string {
	if text == "" || text[0] > ' ' {
		return text
	}
	return strings.TrimLeft(text, " \t\r\n")
}

// extentOfJSON is where the first bracket of a text is closed. Otherwise it is the end of the text.
func extentOfJSON(text string) (end int, isClosed bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i = endOfString(text, i)
		case c < '[': // as most of what stands between strings
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}

// endOfString is the place of the quote that ends the string at start, or the end of the text.
func endOfString(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		next := strings.IndexByte(text[i:], '"')
		if next < 0 {
			break
		}
		i += next
		escaped := false
		for before := i - 1; text[before] == '\\'; before-- { // the quote at start ends it at the latest
			escaped = !escaped
		}
		if !escaped {
			return i
		}
	}
	return len(text)
}

// outerRoles reports whether a text of JSON has messages with roles, and whether one of them has such a role. The messages' own roles are those in
// the fewest brackets: a role in more brackets is content, which a user or a tool may write. Prose has no messages, whatever roles it speaks of.
// It also reports what [isCutJSON] does.
func outerRoles(text string, such func(role string) bool) (spoken, has, cut bool) {
	begin := skipSpace(text)
	if begin == "" || begin[0] != '[' && begin[0] != '{' {
		return false, false, false
	}
	depth, least, isClosed := 0, math.MaxInt, false
	top := 1 // the brackets around the keys of the outermost objects
	if begin[0] == '[' {
		top++
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			isClosed = isClosed || depth == 0
		case '"':
			start := i
			i = endOfString(text, start)
			if depth > least || text[start+1:i] != "role" {
				continue
			}
			value, isKey := strings.CutPrefix(skipSpace(text[min(i+1, len(text)):]), ":")
			if !isKey {
				continue
			}
			role, _, _ := strings.Cut(strings.TrimPrefix(skipSpace(value), `"`), `"`)
			fits := such(role)
			if has = fits || has && depth == least; has && depth <= top {
				return true, true, isCutJSON(text)
			}
			least = depth
		}
	}
	return least < math.MaxInt, has, !isClosed && beginsJSON(text)
}

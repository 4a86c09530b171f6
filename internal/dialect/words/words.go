// Package words looks for JSON strings in texts, so that a text without any of them need not be decoded.
//
// Most texts have none of the words, so the search looks for their rarest byte: in 2 KiB, one word takes 20 ns instead of 560 (BenchmarkWords).
//
// A text may lack its words because it was cut off: [IsCut] and [IsDocument] tell the texts of programs from prose by their brackets.
package words

import (
	"slices"
	"strings"
)

// A List has JSON strings, to be looked for by their rarest byte. The quote with which all begin is frequent in JSON.
type List []rareByte

// A rareByte is the rarest byte of some words.
type rareByte struct {
	value byte
	words []word
}

type word struct {
	text string
	at   int // where the rare byte stands first
}

// byRarity has bytes that are rare in messages, which are prose and JSON, the rarest first. All other bytes are more frequent.
const byRarity = "QZXJKVWUYqzjxCIRT-_kvbwypgfmcu"

// Of is the list of the given names, each in quotes. It is called once for each list.
func Of(names ...string) List {
	var all List
next:
	for _, name := range names {
		text := `"` + name + `"`
		at := rarest(text)
		for i := range all {
			if all[i].value == text[at] {
				all[i].words = append(all[i].words, word{text, at})
				continue next
			}
		}
		all = append(all, rareByte{text[at], []word{{text, at}}})
	}
	return all
}

// rarest is the first place of the rarest byte of text.
func rarest(text string) int {
	for i := range len(byRarity) {
		if at := strings.IndexByte(text, byRarity[i]); at >= 0 {
			return at
		}
	}
	return 0
}

// In reports whether text has one of the words. If there are no words, it returns true.
func (a List) In(text string) bool {
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
	at := 0
	for stops := 0; stops <= few+at/apart; stops++ {
		i := strings.IndexByte(text[at:], r.value)
		if i < 0 {
			return false
		}
		at += i
		for j := range r.words {
			w := &r.words[j]
			if start := at - w.at; start >= 0 && text[start] == '"' && strings.HasPrefix(text[start:], w.text) {
				return true
			}
		}
		at++
	}
	// A word has no such byte in front of its first one, so none begins before the last stop.
	return slices.ContainsFunc(r.words, func(w word) bool { return strings.Contains(text[at:], w.text) })
}

// IsCut reports whether a text begins as a JSON object or list of a program, and its first bracket is not closed. It reads the
// whole text: who writes a string in it decides where it is cut off, and so how it ends.
func IsCut(text string) bool { return IsDocument(text) && !isClosed(text) }

// IsDocument reports whether the first brackets of a text are those of JSON, as programs write it: a key follows that of an object.
func IsDocument(text string) bool {
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

// skipSpace is text without the white space in front.
func skipSpace(text string) string {
	for text != "" && strings.IndexByte(" \t\r\n", text[0]) >= 0 {
		text = text[1:]
	}
	return text
}

// isClosed reports whether the first bracket of a text is closed.
func isClosed(text string) bool {
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
				return true
			}
		}
	}
	return false
}

// endOfString is the place of the quote that ends the string at start, or the end of the text.
func endOfString(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		next := strings.IndexByte(text[i:], '"')
		if next < 0 {
			break
		}
		if i += next; text[i-1] != '\\' || !isEscaped(text[start+1:i]) {
			return i
		}
	}
	return len(text)
}

// isEscaped reports whether the byte behind a part of a string is escaped: an odd number of backslashes is in front of it.
func isEscaped(part string) bool {
	return (len(part)-len(strings.TrimRight(part, `\`)))%2 == 1
}

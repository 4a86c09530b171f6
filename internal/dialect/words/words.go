// Package words looks for JSON strings in texts, so that a text without any of them need not be decoded.
//
// Most texts have none of the words, so the search looks for their rarest byte: in 2 KiB, one word takes 20 ns instead of 560 (BenchmarkWords).
//
// [OuterRoles] finds the roles of messages in a text that may be too deep to be decoded. A text may lack its words
// because it was cut off: [IsCut] and [IsDocument] tell the texts of programs from prose by their brackets.
package words

import (
	"math"
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
	for _, name := range names {
		text := `"` + name + `"`
		at := rarest(text)
		i := slices.IndexFunc(all, func(r rareByte) bool { return r.value == text[at] })
		if i < 0 {
			i, all = len(all), append(all, rareByte{value: text[at]})
		}
		all[i].words = append(all[i].words, word{text, at})
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

// IsDocument reports whether a text begins as a JSON object or list of a program, and nothing follows its end, which may be missing.
func IsDocument(text string) bool {
	end, _ := extent(text)
	return begins(text) && skipSpace(text[end:]) == ""
}

// IsCut reports whether a text begins as a JSON object or list of a program, and its first bracket is not closed. It reads the
// whole text: who writes a string in it decides where it is cut off, and so how it ends.
func IsCut(text string) bool {
	if !begins(text) {
		return false
	}
	_, closed := extent(text)
	return !closed
}

// begins reports whether the first brackets are those of JSON: a key follows that of an object.
func begins(text string) bool {
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

// extent is where the first bracket of a text is closed. Otherwise it is the end of the text.
func extent(text string) (end int, closed bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i = EndOfString(text, i)
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

// EndOfString is the place of the quote that ends the string at start, or the end of the text.
func EndOfString(text string, start int) int {
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

// OuterRoles reports whether a text of JSON has messages with roles, and whether one of them has such a role. The messages' own roles are those in
// the fewest brackets: a role in more brackets is content, which a user or a tool may write. Prose has no messages, whatever roles it speaks of.
// It also reports what [IsCut] does.
func OuterRoles(text string, such func(role string) bool) (spoken, has, cut bool) {
	begin := skipSpace(text)
	if begin == "" || begin[0] != '[' && begin[0] != '{' {
		return false, false, false
	}
	depth, least, closed := 0, math.MaxInt, false
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
			closed = closed || depth == 0
		case '"':
			start := i
			i = EndOfString(text, start)
			if depth > least || text[start+1:i] != "role" {
				continue
			}
			value, isKey := strings.CutPrefix(skipSpace(text[min(i+1, len(text)):]), ":")
			if !isKey {
				continue
			}
			role, _, _ := strings.Cut(strings.TrimPrefix(skipSpace(value), `"`), `"`)
			is := such(role)
			if has = is || has && depth == least; has && depth <= top {
				return true, true, IsCut(text)
			}
			least = depth
		}
	}
	return least < math.MaxInt, has, !closed && begins(text)
}

package condition

import (
	"strings"
	"unicode/utf8"
)

// Locate finds a path or the name of a function in an OTTL text, outside of texts in quotes. Line and column count from 1,
// and columns count characters. Both are 0 if it is not there.
func Locate(text, name string) (line, column int) {
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '"':
			at = afterQuote(text, at+1)
		case inPath(c):
			end := at
			for end < len(text) && inPath(text[end]) {
				end++
			}
			if text[at:end] == name {
				before := text[:at]
				return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
			}
			at = end
		default:
			at++
		}
	}
	return 0, 0
}

// afterQuote is the index behind the quote that closes a text.
func afterQuote(text string, at int) int {
	for at < len(text) && text[at] != '"' {
		if text[at] == '\\' {
			at++
		}
		at++
	}
	return at + 1
}

func inPath(c byte) bool { return c == '.' || inWord(c) }

package words

import "strings"

// IsDocument reports whether a text begins as a JSON object or list of a program, and nothing follows its end. The rest need not
// be JSON, and the end may be missing. Prose is no document.
func IsDocument(text string) bool {
	if !begins(text) {
		return false
	}
	end, _ := extent(text)
	return skipSpace(text[end:]) == ""
}

// IsCut reports whether a text begins as a JSON object or list of a program, and does not end as one. It reads the whole text
// only if the last bytes do not tell.
func IsCut(text string) bool {
	if !begins(text) || ends(text) {
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

// skipSpace is text without the white space in front.
func skipSpace(text string) string {
	for text != "" && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// ends reports whether a text ends with the bracket that closes its first one, and a string is before the last brackets. A cut
// inside a string leaves no such text: each quote in a string has a backslash. A quote behind a colon, a comma or a bracket may
// open a string.
func ends(text string) bool {
	at := len(text) - 1
	for at > 0 && isSpace(text[at]) {
		at--
	}
	closing := text[at]
	for at > 0 && (text[at] == ']' || text[at] == '}' || isSpace(text[at])) {
		at--
	}
	if at < 2 || text[at] != '"' || isSpace(text[at-1]) || strings.IndexByte("\\:,[{", text[at-1]) >= 0 {
		return false
	}
	return closing == skipSpace(text)[0]+2 // in ASCII a closing bracket is two behind its opening one
}

// extent is where the first bracket of a text is closed. Otherwise it is the end of the text.
func extent(text string) (end int, closed bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = EndOfString(text, i)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}

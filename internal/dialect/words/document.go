package words

// IsDocument reports whether a text begins as a JSON object or list of a program, and nothing follows its end. The rest need not
// be JSON, and the end may be missing. Prose is no document.
func IsDocument(text string) bool {
	if !begins(text) {
		return false
	}
	end, _ := extent(text)
	return skipSpace(text[end:]) == ""
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

// skipSpace is text without the white space in front.
func skipSpace(text string) string {
	for text != "" && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

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

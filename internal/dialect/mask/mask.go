package mask

import "strings"

// maxMask is how long a placeholder may be. A longer text is content.
const maxMask = 64

// MayBe reports whether a text is short, and neither an object nor a list.
func MayBe(text string) bool {
	return text != "" && len(text) <= maxMask && text[0] != '{' && text[0] != '[' && text != "null"
}

// Is reports whether a text says in brackets that content was hidden, or has only characters that hide some.
func Is(text string) bool {
	if len(text) < 3 || len(text) > maxMask {
		return false
	}
	switch text[0] {
	case '"', '<', '[', '(', '*', '_', '#':
		return isHiding(text)
	}
	return false // as is nearly every text
}

// isHiding is Is of a text with a first character that a mask may have.
func isHiding(text string) bool {
	text = strings.Trim(text, `"`)
	inner := strings.Trim(text, "<>[](){}*_#")
	if inner == "" {
		return text != "" && (strings.Trim(text, "*") == "" || strings.Trim(text, "#") == "")
	}
	if inner == text || !isEnclosed(text) {
		return false
	}
	for _, word := range [...]string{"redacted", "masked", "hidden", "filtered", "scrubbed"} {
		if n := len(word); len(inner) >= n && strings.EqualFold(inner[:n], word) && (len(inner) == n || strings.IndexByte(" :_", inner[n]) >= 0) {
			return true
		}
	}
	return false
}

// isEnclosed reports whether a text is enclosed by two brackets that belong together, or by two equal signs.
func isEnclosed(text string) bool {
	first, last := text[0], text[len(text)-1]
	switch first {
	case '<':
		return last == '>'
	case '[':
		return last == ']'
	case '(':
		return last == ')'
	case '*', '_', '#':
		return last == first
	}
	return false
}

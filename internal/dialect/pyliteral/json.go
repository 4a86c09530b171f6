package pyliteral

import "strings"

// JSON makes JSON of a text in which Python's json module wrote numbers that JSON lacks: NaN, Infinity and -Infinity. They become
// texts. The second result is false if the text has none.
func JSON(text string) (string, bool) {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = behindString(text, i) - 1
		case 'N', 'I', '-':
			n := len(notFinite(text[i:]))
			if n == 0 {
				continue
			}
			b.WriteString(text[from:i])
			b.WriteString(`"` + text[i:i+n] + `"`)
			from, i = i+n, i+n-1
		}
	}
	if from == 0 {
		return "", false
	}
	b.WriteString(text[from:])
	return b.String(), true
}

// notFinite is the number that is no JSON, with which text begins.
func notFinite(text string) string {
	for _, name := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if strings.HasPrefix(text, name) {
			return name
		}
	}
	return ""
}

// behindString is the place behind the string that begins at a place.
func behindString(text string, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

package pyliteral

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
)

// JSON makes JSON of a text in which Python's json module wrote numbers that JSON lacks: NaN, Infinity and -Infinity. They become
// texts. The second result is false if the text has none.
func JSON(text string) (string, bool) {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = words.EndOfString(text, i)
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

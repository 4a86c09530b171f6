package words

import (
	"math"
	"strings"
)

// Roles calls visit for the role of each message in a text, until that returns false. It decodes nothing: a role follows its key
// and a colon, and within a text of JSON each quote follows a backslash. A colon is rarer than a quote. Prose has no messages,
// whatever roles it speaks of.
func Roles(text string, visit func(role string) bool) {
	if first := skipSpace(text); first == "" || first[0] != '[' && first[0] != '{' {
		return
	}
	for {
		colon := strings.IndexByte(text, ':')
		if colon < 0 {
			return
		}
		name := text[:colon]
		text = text[colon+1:]
		if endsWithRole(name) && !visit(stringOf(text)) {
			return
		}
	}
}

// HasOuterRole reports whether some message in a text of JSON has such a role. The messages' own roles are those in the fewest
// brackets: a role in more brackets is content, which a user or a tool may write.
func HasOuterRole(text string, such func(role string) bool) (has bool) {
	depth, least := 0, math.MaxInt
	top := 1 // the brackets around the keys of the outermost objects
	if strings.HasPrefix(skipSpace(text), "[") {
		top++
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
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
			is := such(stringOf(value))
			if has = is || has && depth == least; has && depth <= top {
				return true
			}
			least = depth
		}
	}
	return has
}

// endsWithRole reports whether a text of JSON ends with the key of a role.
func endsWithRole(text string) bool {
	const key = `"role"`
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return strings.HasSuffix(text, key) && !strings.HasSuffix(text, `\`+key)
}

// stringOf is the string with which a text of JSON begins.
func stringOf(text string) string {
	text, ok := strings.CutPrefix(skipSpace(text), `"`)
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, `"`)
	return text
}

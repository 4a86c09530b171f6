package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Placeholders of masks. Instrumentations and applications have their own, so a mask is known by its form, and an unusual
// one because it represents two things at once.

// maxMask is how long a placeholder may be. A longer text is content.
const maxMask = 64

// unmask takes what masks left in place of its content from a call. Arguments are an object, so if they are the same
// text as the output, both are the mask of an application. A tool may return the text that it was given; then neither
// counts as captured.
func (r *Reading) unmask() {
	if r.Call.Arguments.Look(isMask) {
		r.Call.Arguments = scoring.Payload{}
	}
	if r.Call.Output.Look(isMask) {
		r.Call.Output = scoring.Payload{}
	}
	if r.Call.Arguments == r.Call.Output && !r.Traits.Has(UnnamedArgument) && r.Call.Arguments.Look(isWord) {
		r.Call.Arguments, r.Call.Output = scoring.Payload{}, scoring.Payload{}
	}
}

// isWord reports whether a text is short, and neither an object nor a list.
func isWord(text string) bool {
	return text != "" && len(text) <= maxMask && text[0] != '{' && text[0] != '[' && text != "null"
}

// isMask reports whether a text says in brackets that content was hidden, or has only characters that hide some.
func isMask(text string) bool {
	if len(text) < 3 || len(text) > maxMask {
		return false
	}
	switch text[0] {
	case '"', '<', '[', '(', '*', '_', '#':
		return isHiding(text)
	}
	return false // as is nearly every text
}

// isHiding is isMask of a text with a first character that a mask may have.
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

// isEnclosed reports whether a text stands between two brackets that belong together, or two equal signs.
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

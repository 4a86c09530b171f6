package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Placeholders of masks. Instrumentations and applications have their own, so a mask is known by its form, and an unusual
// one because it represents two things at once.

// whole is a payload that was not cut off before it came. What begins like an object or a list of JSON and does not end would be compared as a text.
func whole(p scoring.Payload) scoring.Payload {
	if p.Look(isCutOff) {
		return scoring.TooLarge()
	}
	return p
}

func isCutOff(text string) bool {
	return len(text) > 1 && words.IsCut(text) || strings.HasPrefix(text, `"{\"`) && !strings.HasSuffix(text, `"`) || strings.HasPrefix(text, `{"_truncated":`)
}

// finish does to a call what does not depend on its dialect.
func (s *source) finish(r *Reading) {
	if s.isOwnTool(r.Call.Name, true) {
		*r = Reading{}
		return
	}
	if s.saysFailed {
		r.Call.Status = scoring.StatusFailed
	}
	if r.Call.Status == scoring.StatusFailed && s.text(genAIToolDescription) == "" && unknownTool(r.Call) {
		r.Traits |= UnknownTool
	}
	if !s.cut {
		r.Call.Arguments = whole(r.Call.Arguments)
	}
	if !s.wrapped {
		r.Call.Output = whole(r.Call.Output)
	}
	r.unmask()
}

// unmask removes the marks of masked content from a call. Arguments are an object. So if they have the same text as the output, both are the mask of
// an application. A tool may return the text that it was given; then neither counts as captured.
func (r *Reading) unmask() {
	if r.Call.Arguments.Look(isMask) || r.Call.Arguments == scoring.JSON("N/A") { // no call has that as its arguments, but a tool may return it
		r.Call.Arguments = scoring.Payload{}
	}
	if r.Call.Output.Look(isMask) {
		r.Call.Output = scoring.Payload{}
	}
	if r.Call.Arguments == r.Call.Output && !r.Traits.Has(UnnamedArgument) && r.Call.Arguments.Look(mayBeMask) {
		r.Call.Arguments, r.Call.Output = scoring.Payload{}, scoring.Payload{}
	}
}

// maxMask is how long a placeholder may be. A longer text is content.
const maxMask = 64

// mayBeMask reports whether a text is short, and neither an object nor a list.
func mayBeMask(text string) bool {
	return text != "" && len(text) <= maxMask && text[0] != '{' && text[0] != '[' && text != "null"
}

// isMask reports whether a text says in brackets that content was hidden, or has only characters that hide some.
func isMask(text string) bool {
	return len(text) >= 3 && len(text) <= maxMask && strings.IndexByte(`"<[(*_#`, text[0]) >= 0 && isHiding(text)
}

// isHiding is isMask of a text with a first character that a mask may have. Lists have one as well, so it looks at single
// characters before it compares words.
func isHiding(text string) bool {
	text = strings.Trim(text, `"`)
	if text == "" {
		return false
	}
	opening := strings.IndexByte("<[(*_#", text[0])
	if opening < 0 || text[len(text)-1] != ">])*_#"[opening] { // of two brackets that belong together, or two equal signs
		return false
	}
	inner := strings.Trim(text, "<>[](){}*_#")
	if inner == "" {
		return strings.Trim(text, "*") == "" || strings.Trim(text, "#") == ""
	}
	for _, word := range [...]string{"redacted", "masked", "hidden", "filtered", "scrubbed"} {
		if inner[0]|0x20 == word[0] && beginsWith(inner, word) {
			return true
		}
	}
	return false
}

// beginsWith reports whether a text is a word in any case, or has it before a separator.
func beginsWith(text, word string) bool {
	n := len(word)
	return len(text) >= n && strings.EqualFold(text[:n], word) && (len(text) == n || strings.IndexByte(" :_", text[n]) >= 0)
}

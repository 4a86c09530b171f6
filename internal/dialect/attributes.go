package dialect

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A source is the span that a dialect reads. It is never changed.
type source struct {
	scope      string
	span       ptrace.Span
	attributes attributeMap
	scratch    *Scratch // for messages only
	others     Marks    // dialects whose marks the span has as well, of those that come later
	wrapped    bool     // outputs may stay wrapped
	cut        bool     // arguments may be cut off
	quoted     bool     // texts are JSON strings, with their quotes
	saysFailed bool     // the output of the call says that it failed
}

// of is the source with the attributes of an event of its span.
func (s *source) of(event ptrace.SpanEvent) *source {
	e := *s
	e.attributes = mapOf(event.Attributes())
	return &e
}

// An attributeMap is the attributes of a span or an event. Dialects look up many keys that most spans lack. So it keeps the
// lengths of the keys, which for most absent keys avoids a walk over the attributes.
type attributeMap struct {
	pcommon.Map
	lengths uint64 // the bit at a key's length, modulo 64, is set
}

func mapOf(attributes pcommon.Map) attributeMap {
	m := attributeMap{Map: attributes}
	for key := range attributes.All() {
		m.lengths |= 1 << (len(key) % 64)
	}
	return m
}

// Get returns the value of a key, and whether the key is there. It is inlined, so that an absent key costs no call.
func (m *attributeMap) Get(key string) (v pcommon.Value, ok bool) {
	if m.lengths&(1<<(len(key)%64)) != 0 {
		v, ok = m.find(key)
	}
	return
}

//go:noinline
func (m *attributeMap) find(key string) (pcommon.Value, bool) { return m.Map.Get(key) }

// conversation is the ID of a conversation under the first of keys that has one, by the text of its value.
func (m *attributeMap) conversation(keys []string, text func(pcommon.Value) (string, bool)) string {
	for _, key := range keys {
		if v, ok := m.Get(key); ok {
			if id, ok := text(v); ok && isConversation(id) {
				return id
			}
		}
	}
	return ""
}

// marker returns the value of a marker key, or "" if it is no string.
func (s *source) marker(key string) string {
	if v, ok := s.attributes.Get(key); ok {
		return v.Str()
	}
	return ""
}

// text returns the first of keys that holds a name or an id, or "" if none does. A number or a boolean counts in its text
// form, because an id may be a number. A map, a slice or bytes are no name.
func (s *source) text(keys ...string) string {
	for _, key := range keys {
		if v, ok := s.attributes.Get(key); ok {
			if text := s.textOf(v); text != "" {
				return text
			}
		}
	}
	return ""
}

func (s *source) textOf(v pcommon.Value) string {
	text := nameText(v)
	if s.quoted && strings.HasPrefix(text, `"`) {
		if unquoted, err := scoring.Decode(text); err == nil {
			return valid(unquoted.Text())
		}
	}
	return text
}

func nameText(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return valid(v.Str())
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		return v.AsString()
	}
	return ""
}

// spanName is the span's name as valid UTF-8.
func (s *source) spanName() string { return valid(s.span.Name()) }

// valid replaces what is no UTF-8: OTLP's strings are not checked on arrival, and names end up in attributes again.
func valid(text string) string {
	for i := range len(text) { // nearly all names are ASCII
		if text[i] >= utf8.RuneSelf {
			return strings.ToValidUTF8(text, "\uFFFD")
		}
	}
	return text
}

// payload is the payload under the first of keys that captured anything. A string is JSON text, and is not copied.
func (s *source) payload(keys ...string) scoring.Payload { return s.content(&payloads{keys: keys}) }

// structured is the payload of a value whose dialect says that strings are JSON text. A value without a type and an empty string are "not captured",
// because an instrumentation that blanks an attribute leaves one of them. Neither is JSON.
func structured(v pcommon.Value) scoring.Payload {
	switch text, ok := attributes.Text(v); {
	case !ok:
		return scoring.TooLarge() // too deep to be worth the stack; compared with anything less it would be wrong
	case text == "", v.Type() == pcommon.ValueTypeEmpty:
		return scoring.Payload{}
	default:
		return scoring.JSON(text)
	}
}

// whole is a payload that was not cut off before it came. What begins like an object or a list of JSON and does not end would be compared as a text.
func whole(p scoring.Payload) scoring.Payload {
	if p.Look(isCutOff) {
		return scoring.TooLarge()
	}
	return p
}

func isCutOff(text string) bool {
	return len(text) > 1 && isCutJSON(text) || strings.HasPrefix(text, `"{\"`) && !strings.HasSuffix(text, `"`) || strings.HasPrefix(text, `{"_truncated":`)
}

// finish does to a call what does not depend on its dialect.
func (s *source) finish(r *Reading) {
	if s.isOwnTool(r.Call.Name, true) || s.isADKPlaceholder(r.Call.Name) {
		*r = Reading{}
		return
	}
	if s.isADKUnknown(r) {
		r.Traits |= NotMade
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

// unmask removes the marks of masked content from a call. Everybody has their own, so a mask is known by its form, and an unusual one because it
// represents two things at once. Arguments are an object. So if they have the same text as the output, both are the mask of
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
	if len(text) < 3 || len(text) > maxMask || text[0] == '{' {
		return false
	}
	inner := strings.Trim(text, `"`)
	word := strings.TrimLeft(inner, "<[({*_#")
	// In most content, the first byte behind the brackets is another one.
	return word != inner && (word == "" || strings.IndexByte("rmhfsRMHFS", word[0]) >= 0) && masks.MatchString(inner)
}

var masks = regexp.MustCompile(`^(\*+|#+|[<[({*_#]+(?is:(redacted|masked|hidden|filtered|scrubbed)([ :_].*)?)[])}>*_#]+)$`)

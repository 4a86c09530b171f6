package dialect

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// document decodes the attribute key: JSON text, or a structured value. To decode a long text is dear and most ask
// for no call, so one of the marks must be in it. A text that was cut off is no JSON, and tells nothing.
func (s source) document(key string, marks ...string) scoring.Value {
	return document(s.attributes, key, marks...)
}

func document(attributes pcommon.Map, key string, marks ...string) scoring.Value {
	v, ok := attributes.Get(key)
	if !ok {
		return scoring.Value{}
	}
	return documentOf(v, marks)
}

func documentOf(v pcommon.Value, marks []string) scoring.Value {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return decoded(v.Str(), marks)
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		if b, ok := appendJSON(nil, v, 0); ok {
			return decoded(string(b), marks)
		}
	}
	return scoring.Value{}
}

// decoded is null where text is no JSON or has none of marks in it. No marks are as good as one that is there.
func decoded(text string, marks []string) scoring.Value {
	found := len(marks) == 0
	for _, mark := range marks {
		found = found || strings.Contains(text, mark)
	}
	if !found {
		return scoring.Value{}
	}
	v, err := scoring.Decode(text)
	if err != nil {
		return scoring.Value{}
	}
	return v
}

// opened decodes a string that is itself JSON, an object or an array. Anything else stays as it is.
func opened(v scoring.Value) scoring.Value {
	text := strings.TrimSpace(v.Text())
	if text == "" || text[0] != '{' && text[0] != '[' {
		return v
	}
	if inner, err := scoring.Decode(text); err == nil {
		return inner
	}
	return v
}

// at follows a path of keys. Where it ends too early the value is null, which has neither members nor elements.
func at(v scoring.Value, path ...string) scoring.Value {
	for _, key := range path {
		v, _ = v.Member(key)
	}
	return v
}

// first is the member under the first of keys that is there and not null.
func first(v scoring.Value, keys ...string) scoring.Value {
	for _, key := range keys {
		if m, ok := v.Member(key); ok && m.Kind() != scoring.Null {
			return m
		}
	}
	return scoring.Value{}
}

// head is the first element of an array.
func head(v scoring.Value) scoring.Value {
	for e := range v.Elements() {
		return e
	}
	return scoring.Value{}
}

// text is the name or id under the first of keys that has one. It is a copy: what a span's long text is a part of may
// be kept for the time of a run, the long text not.
func text(v scoring.Value, keys ...string) string {
	for _, key := range keys {
		if name := member(v, key); name != "" {
			return strings.Clone(name)
		}
	}
	return ""
}

// encoded is what stands under the first of keys that is there. Null is Python's None: the call has none.
func encoded(v scoring.Value, keys ...string) scoring.Payload {
	for _, key := range keys {
		if m, ok := v.Member(key); ok {
			return asPayload(m)
		}
	}
	return scoring.Payload{}
}

// asPayload takes a string for JSON text, as models write arguments, and anything else for what it is. An empty string
// is what is left where an instrumentation blanked a value.
func asPayload(v scoring.Value) scoring.Payload {
	switch v.Kind() {
	case scoring.Null:
		return scoring.Omitted()
	case scoring.String:
		if v.Text() == "" {
			return scoring.Payload{}
		}
		return scoring.JSON(strings.Clone(v.Text()))
	}
	const usual = 256 // bytes; what is larger grows
	return scoring.JSON(string(appendValue(make([]byte, 0, usual), v)))
}

// member is the text under key, "" if there is none.
func member(v scoring.Value, key string) string {
	m, ok := v.Member(key)
	if !ok {
		return ""
	}
	switch m.Kind() {
	case scoring.String:
		return valid(m.Text())
	case scoring.Number:
		return m.Lexeme()
	}
	return ""
}

// is reports whether the text under key is one of want.
func is(v scoring.Value, key string, want ...string) bool {
	m, ok := v.Member(key)
	return ok && m.Kind() == scoring.String && slices.Contains(want, m.Text())
}

// turn are the messages behind the last one that the user spoke: what stands before it answered an earlier question.
func turn(messages scoring.Value, spoken func(scoring.Value) bool) []scoring.Value {
	var since []scoring.Value
	for message := range messages.Elements() {
		if spoken(message) {
			since = since[:0]
			continue
		}
		since = append(since, message)
	}
	return since
}

// some reports whether one of the elements of list is so.
func some(list scoring.Value, so func(scoring.Value) bool) bool {
	for e := range list.Elements() {
		if so(e) {
			return true
		}
	}
	return false
}

package dialect

import (
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

	// The compiler inlines the iterators of a value in a package that imports theirs. It need not do so for an alias. Without inlining,
	// each loop over a value allocates.
	_ "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// at follows a path of keys. If a key is missing the value is null, which has neither members nor elements.
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

// text is the name or id under the first of keys that has one. It is a copy, because it may be kept for the time of a run,
// and the span's long text must not be.
func text(v scoring.Value, keys ...string) string {
	for _, key := range keys {
		if name := member(v, key); name != "" {
			return strings.Clone(name)
		}
	}
	return ""
}

// encoded is the value of the first of keys that v has, as JSON. Null is Python's None: the call has none. memory is used
// to write it, and can be used again afterwards.
func encoded(memory *[]byte, v scoring.Value, keys ...string) scoring.Payload {
	for _, key := range keys {
		if m, ok := v.Member(key); ok {
			return asPayload(memory, m)
		}
	}
	return scoring.Payload{}
}

// asPayload reads a string as JSON text, as models write arguments, and any other value as it is. An empty string counts as
// not captured: instrumentations leave it when they blank a value.
func asPayload(memory *[]byte, v scoring.Value) scoring.Payload {
	switch v.Kind() {
	case scoring.Null:
		return scoring.Omitted()
	case scoring.String:
		text := v.Text()
		if text == "" {
			return scoring.Payload{}
		}
		return scoring.JSON(strings.Clone(text))
	}
	*memory = wrapped.AppendValue((*memory)[:0], v)
	return scoring.JSON(string(*memory))
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

// turn are the messages behind the user's last one. Messages before it belong to an earlier question.
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

// some reports whether the condition holds for an element of list.
func some(list scoring.Value, so func(scoring.Value) bool) bool {
	for e := range list.Elements() {
		if so(e) {
			return true
		}
	}
	return false
}

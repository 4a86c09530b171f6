package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// payload reads the first of keys that captured anything. A string is JSON text, and is not copied.
func (s *source) payload(keys ...string) scoring.Payload {
	for _, key := range keys {
		v, ok := s.attributes.Get(key)
		if !ok {
			continue
		}
		if p := structured(v); p != (scoring.Payload{}) {
			return p
		}
	}
	return scoring.Payload{}
}

// structured is the payload of a value whose dialect says that strings are JSON text.
//
// A value without a type and an empty string are "not captured", because an instrumentation that blanks an attribute leaves
// one of them. Neither is JSON.
func structured(v pcommon.Value) scoring.Payload {
	switch v.Type() {
	case pcommon.ValueTypeEmpty:
		return scoring.Payload{}
	case pcommon.ValueTypeStr:
		if v.Str() == "" {
			return scoring.Payload{}
		}
		return scoring.JSON(v.Str())
	}
	text, ok := attributes.AppendJSON(make([]byte, 0, 128), v)
	if !ok {
		return scoring.TooLarge() // too deep to be worth the stack; compared with anything less it would be wrong
	}
	return scoring.JSON(string(text))
}

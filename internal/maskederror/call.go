package maskederror

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/callcondition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OnCall says why a condition failed on a call with err, without the values of the call and of its run. anchor is nil if the
// run has none.
func OnCall(c *callcondition.Condition, called *scoring.Call, anchor *condition.Place, err error) string {
	return explain(c.String(), err, func(s *maskedSpan) error { return s.errorOnCall(c, called, anchor) })
}

// errorOnCall is the error of a condition on a masked call.
func (s *maskedSpan) errorOnCall(c *callcondition.Condition, called *scoring.Call, anchor *condition.Place) (failure error) {
	shadow := scoring.Call{
		Name: s.string(called.Name), Status: called.Status, Arguments: s.payload(called.Arguments), Output: s.payload(called.Output),
	}
	run := callcondition.Run{
		Context: context.Background(), // not that of the caller, which has the client's metadata
		Calls:   []scoring.Call{shadow}, Attributes: pcommon.NewMap(), Resource: pcommon.NewMap(),
		Duration: func(int) (time.Duration, bool) { return time.Second, true },
		Observe:  func(_ *callcondition.Condition, _ int, _ scoring.ConditionResult, err error) { failure = err },
	}
	if anchor != nil {
		to := s.of(anchor)
		run.HasAnchor, run.Attributes, run.Resource = true, to.Span.Attributes(), to.Resource.Resource().Attributes()
	}
	run.Evaluate(c, 0)
	return failure
}

// payload is a payload of the same shape without its values.
func (s *maskedSpan) payload(p scoring.Payload) scoring.Payload {
	if !p.Captured() {
		return p
	}
	v, _ := p.Value()
	return scoring.JSON(string(s.json(nil, v, maxMasked)))
}

func (s *maskedSpan) json(b []byte, v scoring.Value, depth int) []byte {
	switch {
	case depth < 0:
	case v.Kind() == scoring.Bool:
		return strconv.AppendBool(b, s.truth)
	case v.Kind() == scoring.Number:
		if s.literals[v.Lexeme()] {
			return append(b, v.Lexeme()...)
		}
		return strconv.AppendInt(b, s.number, 10)
	case v.Kind() == scoring.String:
		return s.jsonText(b, v.Text())
	case v.Kind() == scoring.Array:
		b = append(b, '[')
		for element := range v.Elements() {
			if b[len(b)-1] != '[' {
				b = append(b, ',')
			}
			b = s.json(b, element, depth-1)
		}
		return append(b, ']')
	case v.Kind() == scoring.Object:
		return s.jsonObject(b, v, depth)
	}
	return append(b, "null"...)
}

// jsonObject keeps the keys that the condition spells out. The others are numbered.
func (s *maskedSpan) jsonObject(b []byte, v scoring.Value, depth int) []byte {
	b = append(b, '{')
	n := 0
	for name, member := range v.Members() {
		if n > 0 {
			b = append(b, ',')
		}
		n++
		if !s.literals[name] {
			name = masked + strconv.Itoa(n)
		}
		b = append(s.jsonText(b, name), ':')
		b = s.json(b, member, depth-1)
	}
	return append(b, '}')
}

// jsonText keeps a text that the condition spells out, and a key that was numbered.
func (s *maskedSpan) jsonText(b []byte, text string) []byte {
	if !strings.HasPrefix(text, masked) {
		text = s.string(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

package scoring

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

// A Payload is the arguments or the output of a call, as a span or an expectation has them. A method decodes it only to
// compare it, because most methods never do.
//
// The zero value is "not captured": the telemetry says nothing. This is not the same as an empty object. If a method needs
// the payload, its verdict is [NotEvaluable].
type Payload struct {
	form payloadForm
	text string
}

// payloadForm is the kind of a Payload.
type payloadForm uint8

const (
	notCaptured payloadForm = iota // nothing is known
	omitted                        // known: the call had none
	jsonText                       // JSON text, as written
	plainText                      // a text that must not be read as JSON
	tooLarge                       // captured, but over the configured size: dropped, and never compared
)

// JSON returns a payload written as JSON. The text is kept unchanged, with number lexemes and key order. If the text turns
// out to be no JSON when it is decoded, it counts as [Text].
func JSON(text string) Payload { return Payload{form: jsonText, text: text} }

// Text returns a payload that is a plain string, even if it looks like JSON.
func Text(text string) Payload { return Payload{form: plainText, text: text} }

// Omitted returns the payload of a call that is known to have none, such as None in Python. Each reference method has its
// own default for it.
func Omitted() Payload { return Payload{form: omitted} }

// TooLarge returns a payload that was captured but exceeds the size that the processor keeps.
func TooLarge() Payload { return Payload{form: tooLarge} }

// Captured reports whether the payload's content is known and was kept.
func (p Payload) Captured() bool {
	return p.form == omitted || p.form == jsonText || p.form == plainText
}

// Size returns the number of bytes that the payload keeps alive.
func (p Payload) Size() int { return len(p.text) }

// Clone returns p with a copy of its text, so that it does not keep a larger text alive.
func (p Payload) Clone() Payload { return Payload{form: p.form, text: strings.Clone(p.text)} }

// Look returns in(the payload's text). It is a cheap test before decoding.
func (p Payload) Look(in func(text string) bool) bool { return in(p.text) }

// Limit returns p, or TooLarge if p keeps more than max bytes.
func (p Payload) Limit(max int) Payload {
	if len(p.text) > max {
		return TooLarge()
	}
	return p
}

// Or returns p if it was captured, else q. It joins several spans of one call. A payload that is too large wins over one
// that was not captured.
func (p Payload) Or(q Payload) Payload {
	if p.Captured() || p.form == tooLarge && !q.Captured() {
		return p
	}
	return q
}

// Value decodes the payload. Omitted is null. The second result is false if the payload is not captured or too large.
func (p Payload) Value() (Value, bool) {
	if !p.Captured() {
		return Value{}, false
	}
	v, _ := p.ValueIn(new(Decoder))
	return v, true
}

// AppendJSON appends the payload as JSON: a text as a string, and a payload without content as null.
func (p Payload) AppendJSON(b []byte) []byte {
	switch {
	case p.form == jsonText && json.Valid([]byte(p.text)):
		return append(b, p.text...)
	case p.form == jsonText, p.form == plainText:
		text, _ := json.Marshal(p.text) // a string is always JSON
		return append(b, text...)
	}
	return append(b, "null"...)
}

// Compare orders payloads: those that were captured come first. It is 0 only for the same payload, and payloads of equal values may be
// written differently.
func (p Payload) Compare(q Payload) int {
	switch {
	case p.Captured() && !q.Captured():
		return -1
	case q.Captured() && !p.Captured():
		return 1
	}
	return cmp.Or(cmp.Compare(p.form, q.form), cmp.Compare(p.text, q.text))
}

// String keeps the content, which is private, from being printed.
func (p Payload) String() string { return fmt.Sprintf("a payload of %d bytes", len(p.text)) }

// ValueIn decodes the payload into the memory of d. The value is valid until d decodes another text. A payload without
// content is null. problem says why a payload that was written as JSON counts as a text.
func (p Payload) ValueIn(d *Decoder) (v Value, problem error) {
	switch p.form {
	case jsonText:
		if v, problem = d.Decode(p.text); problem == nil {
			return v, nil
		}
		return d.Text(p.text), problem
	case plainText:
		return d.Text(p.text), nil
	}
	return Value{}, nil
}

// ResultIn decodes an output like ValueIn. If the output is content blocks, it returns the result inside: see [ContentOf].
func (p Payload) ResultIn(d *Decoder) Value {
	v, _ := p.ValueIn(d)
	o := outputOf(p, v)
	return o.Result()
}

// IsObject reports whether the payload is a JSON object.
func (p Payload) IsObject() bool {
	v, ok := p.Value()
	return ok && v.Kind() == Object
}

// An output is what a call returned, or should return, prepared for comparison.
type output = compare.Output

// outputOf returns the output of a call, whose payload was decoded as v.
func outputOf(p Payload, v Value) output { return compare.Called(p.text, p.form == jsonText, v) }

// wantedOutput returns the output that an expectation states, whose payload was decoded as v.
func wantedOutput(p Payload, v Value) output { return compare.Wanted(p.text, p.form == jsonText, v) }

// MarshalBinary returns the stored form of p: one byte for its kind, then its text. It never fails.
func (p Payload) MarshalBinary() ([]byte, error) { return append([]byte{byte(p.form)}, p.text...), nil }

// UnmarshalBinary reads what MarshalBinary wrote.
func (p *Payload) UnmarshalBinary(data []byte) error {
	if len(data) == 0 {
		return errors.New("a payload takes a byte or more")
	}
	form := payloadForm(data[0])
	if form > tooLarge {
		return fmt.Errorf("a payload is of a form from 0 to %d, got %d", tooLarge, form)
	}
	*p = Payload{form: form, text: string(data[1:])}
	return nil
}

package scoring

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// A Payload is what a span or an expectation says of a call's arguments or output, before it is decoded.
// Decoding waits until a method compares the payload, because most methods never do.
//
// The zero value is "not captured": the telemetry says nothing. That is not the same as an empty object, and a
// method that needs the payload answers with [NotEvaluable] instead of guessing.
type Payload struct {
	form payloadForm
	text string
}

// payloadForm is the closed set of things that a Payload can be.
type payloadForm uint8

const (
	notCaptured payloadForm = iota // nothing is known
	omitted                        // known: the call had none
	jsonText                       // JSON text, as written
	plainText                      // a text that is no JSON, or is not to be read as such
	tooLarge                       // captured, but over the configured size; never cut, never compared
)

// JSON is a payload written as JSON. The text is kept as it stands: number lexemes and key order survive.
// A text that turns out to be no JSON when it is read counts as [Text].
func JSON(text string) Payload { return Payload{form: jsonText, text: text} }

// Text is a payload that is a plain string, whatever it looks like.
func Text(text string) Payload { return Payload{form: plainText, text: text} }

// Omitted is the payload of a call that is known to have none: None in Python, an argument list never given.
// Reference methods give it their own default.
func Omitted() Payload { return Payload{form: omitted} }

// TooLarge is a payload that was captured but is over the size that the processor keeps.
func TooLarge() Payload { return Payload{form: tooLarge} }

// Captured reports whether the payload's content is at hand.
func (p Payload) Captured() bool {
	return p.form == omitted || p.form == jsonText || p.form == plainText
}

// Size is the number of bytes that the payload keeps alive.
func (p Payload) Size() int { return len(p.text) }

// Clone returns p with a text of its own, so that p does not keep alive the larger text that it may be a part of.
func (p Payload) Clone() Payload { return Payload{form: p.form, text: strings.Clone(p.text)} }

// Mentions reports whether word stands anywhere in the payload's text, whatever it means there. It is a cheap look
// before decoding.
func (p Payload) Mentions(word string) bool { return strings.Contains(p.text, word) }

// Look is what in says of the payload's text: Mentions for who has a better way to search.
func (p Payload) Look(in func(text string) bool) bool { return in(p.text) }

// Limit returns p, or TooLarge if p keeps more than max bytes.
func (p Payload) Limit(max int) Payload {
	if len(p.text) > max {
		return TooLarge()
	}
	return p
}

// Or returns p if its content is at hand, else q: what one span of a call left out, another may tell.
func (p Payload) Or(q Payload) Payload {
	if p.Captured() || p.form == tooLarge && !q.Captured() {
		return p
	}
	return q
}

// Value decodes the payload. Omitted is null. The second result is false where there is nothing to decode.
func (p Payload) Value() (Value, bool) {
	switch p.form {
	case omitted:
		return Value{}, true
	case plainText:
		return StringValue(p.text), true
	case jsonText:
		v, err := Decode(p.text)
		if err != nil {
			return StringValue(p.text), true
		}
		return v, true
	}
	return Value{}, false
}

// AppendJSON appends the payload as JSON: a text as a string, and what is not at hand as null.
func (p Payload) AppendJSON(b []byte) []byte {
	switch {
	case p.form == jsonText && json.Valid([]byte(p.text)):
		return append(b, p.text...)
	case p.form == jsonText, p.form == plainText:
		text, err := json.Marshal(p.text)
		if err == nil {
			return append(b, text...)
		}
	}
	return append(b, "null"...)
}

// Compare orders payloads by their content as it is written: a text as if it stood between quotes, what is not at hand as
// null. It takes no longer than to read the shorter one. Payloads of equal values may be written differently.
func (p Payload) Compare(q Payload) int {
	switch {
	case p.quoted() == q.quoted():
		return cmp.Compare(p.written(), q.written())
	case q.quoted():
		return -q.Compare(p)
	}
	if rest, ok := strings.CutPrefix(q.written(), `"`); ok {
		return cmp.Compare(p.text, rest)
	}
	return cmp.Compare(`"`, q.written())
}

func (p Payload) quoted() bool { return p.form == plainText }

func (p Payload) written() string {
	if p.form == jsonText || p.form == plainText {
		return p.text
	}
	return "null"
}

// String says what p is without its content, which is private.
func (p Payload) String() string {
	switch p.form {
	case omitted:
		return "none"
	case jsonText:
		return fmt.Sprintf("JSON of %d bytes", len(p.text))
	case plainText:
		return fmt.Sprintf("text of %d bytes", len(p.text))
	case tooLarge:
		return "too large"
	}
	return "not captured"
}

// ValueIn decodes the payload in the memory of d. The value is valid until d decodes another text. Omitted, and what is not
// captured, is null.
func (p Payload) ValueIn(d *Decoder) Value {
	switch p.form {
	case jsonText:
		if v, err := d.Decode(p.text); err == nil {
			return v
		}
		return d.Text(p.text)
	case plainText:
		return d.Text(p.text)
	}
	return Value{}
}

// ResultIn decodes the payload of an output like ValueIn. If it is content blocks, as tools of the Model Context Protocol
// return them, it is the result in them.
func (p Payload) ResultIn(d *Decoder) Value {
	o := outputOf(p, p.ValueIn(d))
	return o.Result()
}

// IsObject reports whether the payload is a JSON object.
func (p Payload) IsObject() bool {
	v, ok := p.Value()
	return ok && v.Kind() == Object
}

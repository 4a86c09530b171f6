package scoring

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A Call is one invocation of a tool by an agent, as the telemetry reports it.
type Call struct {
	// Name is the tool's name, compared code point by code point.
	Name string
	// Type is the type of the tool in DeepEval's sense. No span reports it reliably: calls read from spans are functions.
	Type ToolType
	// Status is how the call ended.
	Status CallStatus
	// Unnamed: the keys of Arguments may not be the names of arguments. Then a forbidden tool may fit in spite of other keys.
	Unnamed bool
	// Turn is the turn of a conversation that has the call, from 0. Calls are in the order of their turns. Only an expectation with
	// turns reads it.
	Turn int32
	// Arguments is what the agent passed to the tool, and Output is what the tool returned.
	Arguments, Output Payload
	// Time is when the call ran. Only [ConcurrentAnyOrder] reads it. If the time of any call is unknown, calls keep the
	// order of the list.
	Time Interval
}

// CallStatus is how a call ended.
type CallStatus uint8

const (
	StatusUnset  CallStatus = iota // the telemetry does not say
	StatusOK                       // it says that the call succeeded
	StatusFailed                   // it says that the call failed
)

// String returns "unset", "ok" or "error".
func (s CallStatus) String() string { return [...]string{"unset", "ok", "error"}[s] }

// ToolType distinguishes a plain function from a tool behind the Model Context Protocol. DeepEval 4.1.9 and later compare it.
type ToolType uint8

const (
	FunctionTool ToolType = iota
	MCPTool
)

// A Method turns an expectation and the calls of a run into a verdict. The set is closed: native, and the reference
// methods.
type Method interface {
	// Name is the method's key in a configuration: "native", "axion", "deepeval", ...
	Name() string
	// Judge scores the calls of a run, in their order. It never panics and is safe for concurrent use. The verdict's
	// alignment keeps the slice calls, so the caller must not change it while the verdict is in use.
	Judge(e *Expectation, calls []Call) Verdict
	// Compares reports which payloads the method reads. The caller need not keep the others.
	Compares() (arguments, output bool)

	sealed()
}

// A Value is one JSON value as it was written: see [jsonvalue.Value]. The zero value is null.
type Value = jsonvalue.Value

// A Decoder decodes one text after another into memory that it uses again: see [jsonvalue.Decoder].
type Decoder = jsonvalue.Decoder

// A Digest is a hash of a value. [Equal] values have the same Digest, all others have different ones.
type Digest = jsonvalue.Digest

const (
	Null   = jsonvalue.Null
	Bool   = jsonvalue.Bool
	Number = jsonvalue.Number
	String = jsonvalue.String
	Array  = jsonvalue.Array
	Object = jsonvalue.Object
)

// Decode reads one JSON document: see [jsonvalue.Decode]. The error is a [*jsonvalue.SyntaxError].
func Decode(text string) (Value, error) { return jsonvalue.Decode(text) }

// StringValue returns the string s as a value.
func StringValue(s string) Value { return jsonvalue.StringValue(s) }

// Equal is the native method's equality: see [jsonvalue.Equal].
func Equal(a, b Value) bool { return jsonvalue.Equal(a, b) }

// ContentOf extracts the result from content blocks as MCP, Strands and model providers write them: see [compare.ContentOf].
func ContentOf(v Value) (compare.Content, bool) { return compare.ContentOf(v) }

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

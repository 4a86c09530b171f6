package scoring

import (
	"errors"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A reader decodes payloads and reuses its memory. A value is valid until the next payload is read.
type reader struct {
	decoder Decoder
	value   Value
	problem error // why the payload is no JSON
	unread  bool
	held    bool // there is something to forget
	// out is the current payload as an output, if fresh.
	out   output
	fresh bool
}

// asOutput returns the output of a payload that was decoded as v. It is valid as long as v.
func (r *reader) asOutput(p Payload, v Value) *output {
	if p.form == omitted {
		return &output{}
	}
	if !r.fresh {
		r.out, r.fresh = outputOf(p, v), true
	}
	return &r.out
}

// read decodes a payload once for all classes of a call. If the payload was not captured, the second result says so.
func (r *reader) read(what part, name string, p Payload) (Value, string) {
	if !p.Captured() {
		return Value{}, missingPayload(what, name, p)
	}
	if p.form == omitted {
		return Value{}, ""
	}
	if r.unread {
		r.decode(p)
	}
	return r.value, ""
}

func (r *reader) decode(p Payload) {
	r.unread, r.fresh, r.held = false, false, true
	r.value, r.problem = p.valueIn(&r.decoder)
}

// object returns arguments that were read, if they are an object, or else why they cannot be compared with one. Null and a
// blank text are no arguments.
func (r *reader) object(c *Call, called Value) (Value, string) {
	var syntax *SyntaxError
	switch {
	case called.Kind() == Object:
		return called, ""
	case called.Kind() == Null, strings.TrimSpace(c.Arguments.text) == "":
		return emptyObject, ""
	case errors.As(r.problem, &syntax) && syntax.Problem == jsonvalue.TooDeep:
		return called, argumentsPart.lost(c.Name, "too large to be compared").why
	}
	return called, argumentsPart.lost(c.Name, "no JSON object").why
}

// forget drops the text, so that it can be freed.
func (r *reader) forget() {
	if !r.held {
		return
	}
	r.decoder.ForgetText()
	r.value, r.out, r.fresh, r.held = Value{}, output{}, false, false
}

// missingPayload says why a run is not evaluable if its score depends on p.
func missingPayload(what part, name string, p Payload) string {
	if p.form == tooLarge {
		return what.lost(name, "too large to be compared").why
	}
	return what.lost(name, "not captured").why
}

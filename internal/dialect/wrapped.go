package dialect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Some instrumentations always write how a tool was called instead of its arguments. A model may write an object of the same form as its
// arguments. So each function here knows one form and is only for instrumentations that always write it. The object must have all keys of
// the form and no other, and it is taken apart once.

// unwrapFunction returns the arguments of a Python function that was called with args and kwargs. The object has exactly these keys.
// Positional arguments stay as they are. Then unnamed is true, because their names are not known.
func unwrapFunction(p scoring.Payload, keys ...string) (arguments scoring.Payload, unnamed bool) {
	if v, _ := p.Value(); hasExactly(v, keys...) {
		return functionArguments(v, p)
	}
	return p, false
}

// unwrapInput returns the arguments of LangChain in JavaScript, which gives a tool one text. It is the JSON of all arguments, unless the
// tool takes a text.
func unwrapInput(p scoring.Payload) (arguments scoring.Payload, unnamed bool) {
	if v, _ := p.Value(); hasExactly(v, "args") && at(v, "args").Len() == 1 {
		if object, ok := objectOf(head(at(v, "args"))); ok {
			return object, false
		}
	}
	return unwrapFunction(p, "args")
}

// unwrapMethod returns those of a method with *args and **kwargs. What a call does not have is left out.
func unwrapMethod(p scoring.Payload) (arguments scoring.Payload, unnamed bool) {
	if v, _ := p.Value(); hasOnly(v, "args", "kwargs") {
		return functionArguments(v, p)
	}
	return p, false
}

// unwrapRequest returns the arguments in a request of MCP, or in CrewAI's description of a call.
func unwrapRequest(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if name, _ := v.Member("tool_name"); name.Text() == "" || !hasOnly(v, "tool_name", "arguments") {
		return p
	}
	if arguments, _ := v.Member("arguments"); arguments.Kind() != scoring.Null {
		return payloadOf(arguments)
	}
	return scoring.Omitted()
}

// unwrapCallback returns the arguments in what OpenLLMetry writes of the parameters of LangChain's callback. It prefers LangChain's inputs to
// its text, which is the Python form of the same.
func unwrapCallback(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if !hasExactly(v, "input_str", "inputs", "kwargs", "tags", "metadata") {
		return p
	}
	if object := at(v, "inputs"); object.Kind() == scoring.Object {
		return payloadOf(object)
	}
	if text := at(v, "input_str"); text.Kind() == scoring.String {
		return pyliteral.Payload(text.Text())
	}
	return p
}

// functionArguments are the named ones where there are no others, or the one object that stands in for them. A text is no
// such object, because a model may have written it. A model that writes code for smolagents may also pass an object as the first argument.
func functionArguments(v scoring.Value, p scoring.Payload) (arguments scoring.Payload, unnamed bool) {
	args, _ := v.Member("args")
	kwargs, named := v.Member("kwargs")
	switch {
	case args.Kind() != scoring.Array && args.Kind() != scoring.Null:
		return p, false
	case args.Len() == 0 && named && kwargs.Kind() == scoring.Object:
		return payloadOf(kwargs), false
	case args.Len() != 1 || kwargs.Len() > 0:
		return p, args.Len() > 0
	}
	_, code := v.Member("sanitize_inputs_outputs")
	if arg := head(args); arg.Kind() == scoring.Object {
		return payloadOf(arg), code
	}
	return p, true
}

// objectOf returns v if it is an object, or the object that its text is in JSON or in Python.
func objectOf(v scoring.Value) (scoring.Payload, bool) {
	if v.Kind() == scoring.Object {
		return payloadOf(v), true
	}
	text := v.Text()
	if !strings.HasPrefix(text, "{") {
		return scoring.Payload{}, false
	}
	p := pyliteral.Payload(text)
	decoded, ok := p.Value()
	return p, ok && decoded.Kind() == scoring.Object
}

// hasExactly reports whether v is an object whose members are those of keys.
func hasExactly(v scoring.Value, keys ...string) bool {
	return v.Len() == len(keys) && hasOnly(v, keys...)
}

// hasOnly reports whether v is an object with at least one member, and none but those of keys.
func hasOnly(v scoring.Value, keys ...string) bool {
	if v.Kind() != scoring.Object || v.Len() == 0 {
		return false
	}
	for name := range v.Members() {
		if !slices.Contains(keys, name) {
			return false
		}
	}
	return true
}

// appendValue writes v as JSON text again, numbers as they were written.
func appendValue(b []byte, v scoring.Value) []byte {
	switch v.Kind() {
	case scoring.Bool:
		return strconv.AppendBool(b, v.Bool())
	case scoring.Number:
		return append(b, v.Lexeme()...)
	case scoring.String:
		return attributes.AppendString(b, v.Text())
	case scoring.Array:
		if v.Len() == 0 {
			return append(b, "[]"...)
		}
		before := byte('[')
		for e := range v.Elements() {
			b = appendValue(append(b, before), e)
			before = ','
		}
		return append(b, ']')
	case scoring.Object:
		if v.Len() == 0 {
			return append(b, "{}"...)
		}
		before := byte('{')
		for key, m := range v.Members() {
			b = attributes.AppendString(append(b, before), key)
			b = appendValue(append(b, ':'), m)
			before = ','
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// payloadOf is the payload of a value in a larger document. A string is read as JSON text, because frameworks encode results
// before they put them into a text field. A string that is no JSON stays a text.
func payloadOf(v scoring.Value) scoring.Payload {
	if v.Kind() == scoring.String {
		return scoring.JSON(v.Text())
	}
	return scoring.JSON(string(appendValue(make([]byte, 0, onStack), v)))
}

// onStack is how many bytes of JSON are written without memory of the heap.
const onStack = 512

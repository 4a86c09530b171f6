package wrapped

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Members of the objects that calls are wrapped in.
const (
	Args     = "args"
	Kwargs   = "kwargs"
	Sanitize = "sanitize_inputs_outputs" // smolagents has it beside the two
	// Tool and Arguments are those of a request of MCP, or of CrewAI's description of a call.
	Tool      = "tool_name"
	Arguments = "arguments"

	inputs    = "inputs"
	inputText = "input_str"
)

// Function returns the arguments of a Python function that was called with args and kwargs. The object has exactly these keys.
// Positional arguments stay as they are. Then unnamed is true, because their names are not known.
func Function(p scoring.Payload, keys ...string) (arguments scoring.Payload, unnamed bool) {
	if v, _ := p.Value(); HasExactly(v, keys...) {
		return functionArguments(v, p)
	}
	return p, false
}

// Input returns the arguments of LangChain in JavaScript, which gives a tool one text. It is the JSON of all arguments, unless the
// tool takes a text.
func Input(p scoring.Payload) (arguments scoring.Payload, unnamed bool) {
	v, _ := p.Value()
	if args, _ := v.Member(Args); HasExactly(v, Args) && args.Len() == 1 {
		for arg := range args.Elements() {
			if object, ok := ObjectOf(arg); ok {
				return object, false
			}
		}
	}
	return Function(p, Args)
}

// Method returns those of a method with *args and **kwargs. What a call does not have is left out.
func Method(p scoring.Payload) (arguments scoring.Payload, unnamed bool) {
	if v, _ := p.Value(); HasOnly(v, Args, Kwargs) {
		return functionArguments(v, p)
	}
	return p, false
}

// Request returns the arguments in a request of MCP, or in CrewAI's description of a call.
func Request(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if name, _ := v.Member(Tool); name.Text() == "" || !HasOnly(v, Tool, Arguments) {
		return p
	}
	if arguments, _ := v.Member(Arguments); arguments.Kind() != scoring.Null {
		return PayloadOf(arguments)
	}
	return scoring.Omitted()
}

// Callback returns the arguments in what OpenLLMetry writes of the parameters of LangChain's callback.
func Callback(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if !HasExactly(v, inputText, inputs, Kwargs, "tags", "metadata") {
		return p
	}
	return callbackInput(v, p)
}

// functionArguments are the named ones where there are no others, or the one object that stands in for them. A text is no
// such object, because a model may have written it. A model that writes code for smolagents may also pass an object as the first argument.
func functionArguments(v scoring.Value, p scoring.Payload) (arguments scoring.Payload, unnamed bool) {
	args, _ := v.Member(Args)
	kwargs, named := v.Member(Kwargs)
	switch {
	case args.Kind() != scoring.Array && args.Kind() != scoring.Null:
		return p, false
	case args.Len() == 0 && named && kwargs.Kind() == scoring.Object:
		return PayloadOf(kwargs), false
	case args.Len() != 1 || kwargs.Len() > 0:
		return p, args.Len() > 0
	}
	_, code := v.Member(Sanitize)
	for arg := range args.Elements() {
		if arg.Kind() == scoring.Object {
			return PayloadOf(arg), code
		}
	}
	return p, true
}

// callbackInput prefers LangChain's inputs to its text, which is the Python form of the same.
func callbackInput(v scoring.Value, p scoring.Payload) scoring.Payload {
	if object, ok := v.Member(inputs); ok && object.Kind() == scoring.Object {
		return PayloadOf(object)
	}
	if text, ok := v.Member(inputText); ok && text.Kind() == scoring.String {
		return pyliteral.Payload(text.Text())
	}
	return p
}

// ObjectOf returns v if it is an object, or the object that its text is in JSON or in Python.
func ObjectOf(v scoring.Value) (scoring.Payload, bool) {
	if v.Kind() == scoring.Object {
		return PayloadOf(v), true
	}
	text := v.Text()
	if !strings.HasPrefix(text, "{") {
		return scoring.Payload{}, false
	}
	p := pyliteral.Payload(text)
	decoded, ok := p.Value()
	return p, ok && decoded.Kind() == scoring.Object
}

// HasExactly reports whether v is an object whose members are those of keys.
func HasExactly(v scoring.Value, keys ...string) bool {
	return v.Len() == len(keys) && HasOnly(v, keys...)
}

// HasOnly reports whether v is an object with at least one member, and none but those of keys.
func HasOnly(v scoring.Value, keys ...string) bool {
	if v.Kind() != scoring.Object || v.Len() == 0 {
		return false
	}
next:
	for name := range v.Members() {
		for _, key := range keys {
			if name == key {
				continue next
			}
		}
		return false
	}
	return true
}

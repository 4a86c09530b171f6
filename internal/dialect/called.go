package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Members of the objects that calls are wrapped in.
const (
	wrappedArgs      = "args"
	wrappedKwargs    = "kwargs"
	wrappedSanitize  = "sanitize_inputs_outputs" // smolagents has it beside the two
	wrappedTool      = "tool_name"
	wrappedArguments = "arguments"
	wrappedInputs    = "inputs"
	wrappedInputText = "input_str"
	wrappedResult    = "result"
	wrappedError     = "is_error"
)

// calledWith extracts the tool's arguments from an object that describes a call. It may be a Python function's args and
// kwargs, an MCP request, or the parameters of LangChain's callbacks. Anything else stays as it is, and so do positional
// arguments, whose names are not known.
func calledWith(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	switch {
	case hasOnly(v, wrappedArgs, wrappedKwargs, wrappedSanitize):
		return functionArguments(v, p)
	case hasOnly(v, wrappedTool, wrappedArguments) && member(v, wrappedTool) != "":
		if arguments, ok := v.Member(wrappedArguments); ok && arguments.Kind() == scoring.Object {
			return payloadOf(arguments)
		}
		return scoring.Omitted()
	case hasOnly(v, wrappedInputText, wrappedInputs, wrappedKwargs, "tags", "metadata"):
		return callbackInput(v, p)
	}
	return p
}

// functionArguments are the named ones where there are no others, or the one object that stands in for them.
func functionArguments(v scoring.Value, p scoring.Payload) scoring.Payload {
	args, _ := v.Member(wrappedArgs)
	kwargs, named := v.Member(wrappedKwargs)
	switch {
	case args.Len() == 0 && named && kwargs.Kind() == scoring.Object:
		return payloadOf(kwargs)
	case args.Kind() != scoring.Array || args.Len() != 1 || kwargs.Len() > 0:
		return p
	}
	for arg := range args.Elements() {
		if object, ok := objectOf(arg); ok {
			return object
		}
	}
	return p
}

// callbackInput prefers LangChain's inputs to its text, which is the Python form of the same.
func callbackInput(v scoring.Value, p scoring.Payload) scoring.Payload {
	if inputs, ok := v.Member(wrappedInputs); ok && inputs.Kind() == scoring.Object {
		return payloadOf(inputs)
	}
	if text, ok := v.Member(wrappedInputText); ok && text.Kind() == scoring.String {
		return pyliteral.Payload(text.Text())
	}
	return p
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

// hasOnly reports whether v is an object with at least one member, and none but those of keys.
func hasOnly(v scoring.Value, keys ...string) bool {
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

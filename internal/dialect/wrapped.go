package dialect

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Some instrumentations always write how a tool was called instead of its arguments. A model may write an object of the same form as its arguments.
// So each function here is only for instrumentations that always write its form. The object must have no other keys, and is taken apart once.

// unwrapped is the first of the members of an object that has exactly these, and p if it is none.
func unwrapped(p scoring.Payload, keys ...string) scoring.Payload {
	if v, _ := p.Value(); hasExactly(v, keys...) {
		return payloadOf(at(v, keys[0]))
	}
	return p
}

// unwrapFunction returns the arguments of a Python function that was called with args and kwargs: the named ones where there are no others, or the
// one object that stands in for them. The object fits the keys: hasExactly, or [scoring.Value.HasOnly] if what a call does not have is left out.
// Positional arguments stay as they are. Then unnamed is true, because their names are not known. A text is no object that stands in for arguments,
// because a model may have written it. A model that writes code for smolagents may also pass an object as the first argument.
func unwrapFunction(p scoring.Payload, fits func(scoring.Value, ...string) bool, keys ...string) (arguments scoring.Payload, unnamed bool) {
	v, _ := p.Value()
	args, kwargs := at(v, "args"), at(v, "kwargs")
	_, code := v.Member("sanitize_inputs_outputs")
	switch arg := head(args); {
	case !fits(v, keys...), args.Kind() != scoring.Array && args.Kind() != scoring.Null:
		return p, false
	case args.Len() == 0 && kwargs.Kind() == scoring.Object:
		return payloadOf(kwargs), false
	case args.Len() == 1 && kwargs.Len() == 0 && arg.Kind() == scoring.Object:
		return payloadOf(arg), code
	}
	return p, args.Len() > 0
}

// unwrapInput returns the arguments of LangChain in JavaScript: one text, which is the JSON of all arguments, unless the tool takes a text.
func unwrapInput(p scoring.Payload) (arguments scoring.Payload, unnamed bool) {
	v, _ := p.Value()
	args := at(v, "args")
	if !hasExactly(v, "args") || args.Len() != 1 {
		return p, args.Len() > 0
	}
	only := head(args)
	if object, ok := objectOf(only); ok {
		return object, false
	}
	if only.Kind() == scoring.String {
		p = scoring.Text(only.Text())
	}
	return p, true
}

// unwrapRequest returns the arguments in a request of MCP.
func unwrapRequest(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if at(v, "tool_name").Text() == "" || !v.HasOnly("tool_name", "arguments") {
		return p
	}
	return asPayload(at(v, "arguments"))
}

// unwrapCallback returns the arguments in what OpenLLMetry writes of the parameters of LangChain's callback: its inputs, or their text in Python.
func unwrapCallback(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if !hasExactly(v, "input_str", "inputs", "kwargs", "tags", "metadata") {
		return p
	}
	if object := at(v, "inputs"); object.Kind() == scoring.Object {
		p = payloadOf(object)
	} else if text := at(v, "input_str"); text.Kind() == scoring.String {
		p = pythonLiteral(text.Text())
	}
	return p
}

// objectOf returns v if it is an object, or the object that its text is in JSON or in Python.
func objectOf(v scoring.Value) (scoring.Payload, bool) {
	p := payloadOf(v)
	if text := v.Text(); strings.HasPrefix(text, "{") {
		p = pythonLiteral(text)
	}
	return p, p.IsObject()
}

// hasExactly reports whether v is an object whose members are those of keys.
func hasExactly(v scoring.Value, keys ...string) bool {
	return v.Len() == len(keys) && v.HasOnly(keys...)
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
		b = append(b, '[')
		for e := range v.Elements() {
			b = append(appendValue(b, e), ',')
		}
		return append(bytes.TrimSuffix(b, []byte(",")), ']')
	case scoring.Object:
		b = append(b, '{')
		for key, m := range v.Members() {
			b = append(appendValue(append(attributes.AppendString(b, key), ':'), m), ',')
		}
		return append(bytes.TrimSuffix(b, []byte(",")), '}')
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

// What frameworks wrap a tool's result in before they write it down. Source: https://github.com/langchain-ai/langchain,
// libs/core/langchain_core/messages/tool.py; https://github.com/modelcontextprotocol/modelcontextprotocol, schema (CallToolResult);
// https://github.com/strands-agents/sdk-python, src/strands/types/tools.py (ToolResultContent).
const (
	messageOutput = "output"
	messageCallID = "tool_call_id"
	content       = "content"
)

// Texts without such words are no message, or no list of content blocks. They are not decoded.
var (
	messageTells = wordsOf(messageCallID)
	blockTells   = wordsOf("text", "json")
)

// Which instrumentations write ToolMessages. A tool's own result may look like one as well. Its id, status and name must not
// count, because they could hide the call. So messages are read only from instrumentations that are known to write them.
//
//   - An instrumentation of LangChain alone writes what LangChain returns: a tool's result in a message if a model requested it: writesToolMessages.
//   - An SDK for any function writes what the function returns. If it says that LangChain called the tool, the message's
//     content is the output. id and status count only if the span's attributes have the same id: withContent.

// toolMessage is the content of LangChain's ToolMessage, from any of its serialised forms.
type toolMessage struct {
	output scoring.Payload
	// name is "" if the message has none, or is not written as the constructor call that LangChain makes of its own messages.
	name   string
	callID string // "" if the message has none
	failed bool
}

// readToolMessage reads a ToolMessage in an output, alone or under "output", where LangChain's tracers put a run's result.
func readToolMessage(p scoring.Payload) (toolMessage, bool) {
	if !p.Look(messageTells.in) {
		return toolMessage{}, false
	}
	v, _ := p.Value()
	if output, ok := v.Member(messageOutput); ok {
		v = output
	}
	fields, ok := messageFields(v)
	if !ok {
		return toolMessage{}, false
	}
	message := toolMessage{callID: member(fields, messageCallID), failed: member(fields, "status") == "error"}
	if v, ok := fields.Member(content); ok { // a text, which is JSON where the tool returned anything but a text, or a list of blocks
		message.output = contentList(payloadOf(v))
	}
	if _, ok := v.Member("lc"); ok {
		message.name = member(fields, "name")
	}
	return message, true
}

// setArguments sets the arguments of a call, which may be without their names.
func (r *Reading) setArguments(arguments scoring.Payload, unnamed bool) {
	r.Call.Arguments = arguments
	if unnamed {
		r.Traits |= UnnamedArgument
	}
}

// writesToolMessages reports whether an instrumentation of that scope is for LangChain alone.
func writesToolMessages(scope string) bool {
	return isLangChain(scope) || scope == traceloopLangChainJS || scope == traceloopLangChainPy
}

// takesMessage reads a call's output if it is a message of an instrumentation that writes some.
func (s *source) takesMessage(r *Reading) bool {
	if !writesToolMessages(s.scope) {
		return false
	}
	message, ok := readToolMessage(r.Call.Output)
	if ok {
		r.withMessage(message)
	}
	return ok
}

// withMessage applies LangChain's message to the reading of the call.
func (r *Reading) withMessage(message toolMessage) {
	r.Call.Output = message.output
	r.CallID = cmp.Or(r.CallID, message.callID)
	if message.failed {
		r.Call.Status = scoring.StatusFailed
	}
}

// withContent takes the output out of a message in p, of a tool that LangChain called. Only with the id of the span's call, its status counts too.
func (r *Reading) withContent(p scoring.Payload) {
	message, ok := readToolMessage(p)
	message.failed = message.failed && r.CallID != "" && r.CallID == message.callID
	if message.callID = ""; ok {
		r.withMessage(message)
	}
}

// messageFields are the fields of a message that is written as LangChain's constructor call, as LangChain's pair of type and data, or plainly.
func messageFields(v scoring.Value) (scoring.Value, bool) {
	if _, ok := v.Member("lc"); ok {
		kwargs := at(v, "kwargs")
		return kwargs, member(kwargs, messageCallID) != ""
	}
	if !is(v, "type", "tool") && !is(v, "role", "tool") {
		return scoring.Value{}, false
	}
	if data := at(v, "data"); data.Kind() == scoring.Object {
		v = data
	}
	_, told := v.Member(content)
	return v, told && member(v, messageCallID) != ""
}

// failureTells are in every result that says how it ended.
var failureTells = wordsOf("isError", "is_error", "state", "status")

// resultFailed reports whether a result says that the call failed, as MCP or AgentScope write it. A tool may, so the span must be known to be theirs.
func (s *source) resultFailed(p scoring.Payload) bool {
	s.scratch.look(s.scope)
	isObject := func(text string) bool { return strings.HasPrefix(skipSpace(text), "{") }
	if !p.Look(isObject) || !s.scratch.last.results && !s.isOfMCP() || !p.Look(failureTells.in) {
		return false
	}
	v, ok := p.Value()
	return ok && at(v, content).Kind() == scoring.Array && saysFailed(v)
}

// isOfMCP reports whether the span of a call says that an MCP server has the tool.
func (s *source) isOfMCP() bool {
	kind := s.marker(genAIToolType)
	return s.text(mcpMethod, "mcp.tool.name", "mcp.server.name", "mcp.server", "mcp.session.id", "mcp.protocol.version") != "" ||
		kind != "function" && strings.Contains(strings.ToLower(kind), "mcp") || s.marker("mastra.span.type") == "mcp_tool_call"
}

// contentList takes the result out of content blocks. Any other payload is returned as it is.
func contentList(p scoring.Payload) scoring.Payload {
	if !p.Look(blockTells.in) {
		return p
	}
	v, _ := p.Value()
	c, ok := scoring.ContentOf(v)
	switch {
	case !ok:
		return p
	case len(c.Texts) == 0:
		return scoring.JSON(string(appendValue(nil, c.JSON)))
	case len(c.Texts) == 1:
		return scoring.JSON(c.Texts[0])
	}
	return scoring.Text(strings.Join(c.Texts, "\n"))
}

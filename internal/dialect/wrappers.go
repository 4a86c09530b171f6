package dialect

import (
	"cmp"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// What frameworks wrap a tool's result in before they write it down.
//
// Source: https://github.com/langchain-ai/langchain, libs/core/langchain_core/messages/tool.py;
// https://github.com/modelcontextprotocol/modelcontextprotocol, schema (CallToolResult);
// https://github.com/strands-agents/sdk-python, src/strands/types/tools.py (ToolResultContent).
const (
	messageOutput = "output"
	messageCallID = "tool_call_id"
	content       = "content"
)

// Texts without such words are no message, or no list of content blocks. They are not decoded.
var (
	messageTells = words.Of(messageCallID)
	blockTells   = words.Of("text", "json")
)

// Which instrumentations write ToolMessages. A tool's own result may look like one as well. Its id, status and name must not
// count, because they could hide the call. So messages are read only from instrumentations that are known to write them.
//
//   - An instrumentation of LangChain alone writes what LangChain returns. LangChain wraps a tool's result in a message if a
//     model requested it: writesToolMessages.
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

// readToolMessage reads a ToolMessage in an output. The second result is false if there is none.
//
// The message stands alone or under "output", where LangChain's tracers put a run's result.
func readToolMessage(p scoring.Payload) (toolMessage, bool) {
	if !p.Look(messageTells.In) {
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

// withMessage applies LangChain's message to the reading of the call.
func (r *Reading) withMessage(message toolMessage) {
	r.Call.Output = message.output
	r.CallID = cmp.Or(r.CallID, message.callID)
	if message.failed {
		r.Call.Status = scoring.StatusFailed
	}
}

// withContent takes the output out of a message in p, of a tool that LangChain called. If the message has the id of the
// span's call, its status counts too.
func (r *Reading) withContent(p scoring.Payload) {
	if message, ok := readToolMessage(p); ok && r.CallID != "" && r.CallID == message.callID {
		r.withMessage(message)
	} else if ok {
		r.Call.Output = message.output
	}
}

// messageFields are the fields of a message that is written as LangChain's constructor call, as LangChain's pair of
// type and data, or plainly.
func messageFields(v scoring.Value) (scoring.Value, bool) {
	if _, ok := v.Member("lc"); ok {
		kwargs, _ := v.Member("kwargs")
		return kwargs, isMessageClass(v) && kwargs.Kind() == scoring.Object
	}
	if member(v, "type") != "tool" && member(v, "role") != "tool" {
		return scoring.Value{}, false
	}
	if data, ok := v.Member("data"); ok && data.Kind() == scoring.Object {
		v = data
	}
	_, told := v.Member(content)
	return v, told && member(v, messageCallID) != ""
}

// isMessageClass looks at the last word of a path like ["langchain_core", "messages", "ToolMessage"].
func isMessageClass(v scoring.Value) bool {
	path, _ := v.Member("id")
	var last scoring.Value
	for word := range path.Elements() {
		last = word
	}
	return strings.HasPrefix(last.Text(), "ToolMessage") // or ToolMessageChunk
}

// failureTells are in every result that says how it ended.
var failureTells = words.Of("isError", "is_error", "state", "status")

// resultFailed reports whether a result says that the call failed, in the form of MCP or of AgentScope. A tool may return an object that looks
// like one, so the span must be known to have them.
func (s *source) resultFailed(p scoring.Payload) bool {
	if p == (scoring.Payload{}) || !strings.Contains(s.scope, "agentscope") && !s.isOfMCP() || !p.Look(failureTells.In) {
		return false
	}
	v, ok := p.Value()
	return ok && at(v, content).Kind() == scoring.Array && saysFailed(v)
}

// isOfMCP reports whether the span of a call says that an MCP server has the tool.
func (s *source) isOfMCP() bool {
	return s.text(mcpMethod, "mcp.tool.name", "mcp.server.name", "mcp.server", "mcp.session.id", "mcp.protocol.version") != "" ||
		strings.Contains(s.scope, "mcp") || strings.Contains(strings.ToLower(s.marker(genAIToolType)), "mcp") || s.marker("mastra.span.type") == "mcp_tool_call"
}

// contentList takes the result out of content blocks. Any other payload is returned as it is.
func contentList(p scoring.Payload) scoring.Payload {
	if !p.Look(blockTells.In) {
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

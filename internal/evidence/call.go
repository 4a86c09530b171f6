package evidence

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Call is what a span says of a tool call.
type Call struct {
	Name string `cbor:"1,keyasint,omitzero"`
	// ID is the ID that the model gave the call, or "" if the span does not have it.
	ID        string             `cbor:"2,keyasint,omitzero"`
	Arguments scoring.Payload    `cbor:"3,keyasint,omitzero"`
	Output    scoring.Payload    `cbor:"4,keyasint,omitzero"`
	Status    scoring.CallStatus `cbor:"5,keyasint,omitzero"`
	Type      scoring.ToolType   `cbor:"6,keyasint,omitzero"`
	Traits    Traits             `cbor:"7,keyasint,omitzero"`
}

// Traits are what is peculiar about the span of a call. Other records of the call then decide.
type Traits struct {
	// ResultOnly: the span records how a call ended, and another span with the same name and arguments records its start.
	ResultOnly bool `cbor:"1,keyasint,omitzero"`
	// UnnamedArgument: the arguments are, or may be, the value of the only argument, or were passed by position. Names are missing.
	UnnamedArgument bool `cbor:"2,keyasint,omitzero"`
	// NormalizedName: the name has lost its case or its separators.
	NormalizedName bool `cbor:"3,keyasint,omitzero"`
	// MCP: the span is an MCP span. Another span says who made the call, if any does.
	MCP bool `cbor:"4,keyasint,omitzero"`
	// MCPServer: the span is an MCP server's.
	MCPServer bool `cbor:"5,keyasint,omitzero"`
	// UnknownTool: there may be no such tool. If the agent's list of tools agrees, nothing was called.
	UnknownTool bool `cbor:"6,keyasint,omitzero"`
	// NotMade: the span says that nothing executed the call.
	NotMade bool `cbor:"7,keyasint,omitzero"`
}

// IsUniqueCallID reports whether a call id is one that only this call has. Some model servers count calls up from zero in
// every answer (call_0, functions.search:0), and then equal ids mean nothing by themselves.
func IsUniqueCallID(id string) bool {
	const shortest = 9 // Mistral's
	if len(id) < shortest {
		return false
	}
	const counter = 4 // digits of one
	end := id[len(id)-counter-1:]
	at := len(end) - 1
	for at >= 0 && end[at]-'0' <= 9 {
		at--
	}
	return at < 0 || at == len(end)-1 || end[at] != '_' && end[at] != ':' && end[at] != '-'
}

// ToolRequest is as the dialects read it.
type ToolRequest = dialect.ToolRequest

// ToolResult is as the dialects read it.
type ToolResult = dialect.ToolResult

// Share is as the dialects read it. Its requests belong to the one run of its agent inside of the group. If the group has several shares of
// an agent, or several runs of it, the requests belong to no run.
type Share = dialect.Share

// A Response is what a model call records about tool calls.
type Response struct {
	Requests []ToolRequest `cbor:"1,keyasint,omitzero"`
	Results  []ToolResult  `cbor:"2,keyasint,omitzero"`
	// Made has the IDs of calls whose results the model was given, if the instrumentation writes tool spans for others: an application ran the
	// tool by itself.
	Made []string `cbor:"3,keyasint,omitzero"`
	// Refused has the IDs of the other calls whose results the model was given: they failed, or were not made.
	Refused []string `cbor:"4,keyasint,omitzero"`
	// NotOffered are requests for tools that the model was not offered. They are not among Requests.
	NotOffered []ToolRequest `cbor:"5,keyasint,omitzero"`
	// Answered is the ID of the last result that the model was given, which leads to the previous model call.
	Answered string `cbor:"6,keyasint,omitzero"`
	// Prompt is the ID of the user's prompt that a part of an agent's run responds to: see [Fact.IsPart].
	Prompt string `cbor:"7,keyasint,omitzero"`
	// Shares is nil for nearly all responses. The span of a group of agents may say which agent of the group made which
	// requests: see [Share].
	Shares []Share `cbor:"8,keyasint,omitzero"`
	// MessagesOnly: perhaps nothing else records these calls, because the instrumentation may write no tool spans.
	MessagesOnly bool `cbor:"9,keyasint,omitzero"`
	// Begins: the messages given to the model have no response yet, so a loop of model calls begins here.
	Begins bool `cbor:"10,keyasint,omitzero"`
	// OfAgent: the span is that of an agent or of a group of agents, and no model call.
	OfAgent bool `cbor:"11,keyasint,omitzero"`
	// Offered: the model was offered tools, so it is an agent's, whether it asked for any or not.
	Offered bool `cbor:"12,keyasint,omitzero"`
	// Unread: the span may have requests or results that could not be read.
	Unread bool `cbor:"13,keyasint,omitzero"`
	// Unrecorded: the model stopped for tools, and the span records no request.
	Unrecorded bool `cbor:"14,keyasint,omitzero"`
}

// IsTranscript reports whether the response is what an agent's span says of its models. It completes calls, and proves
// some only where nothing else of the run is recorded: frameworks also write results for tools that do not exist, for handoffs, and for what
// waits for an approval.
func (r *Response) IsTranscript() bool { return r.OfAgent && !r.MessagesOnly && r.Prompt == "" }

// OnlyProves reports whether the response asks for nothing, and only says which calls were made, or could not be, or that there were some.
func (r *Response) OnlyProves() bool {
	return (r.Unrecorded || len(r.Made)+len(r.Refused)+len(r.NotOffered) > 0) && len(r.Requests)+len(r.Results) == 0 && !r.Offered && !r.Unread
}

// Ran reports whether the response proves that one of its calls was made.
func (r *Response) Ran() bool {
	return slices.ContainsFunc(r.Requests, func(q ToolRequest) bool { return q.Ran() })
}

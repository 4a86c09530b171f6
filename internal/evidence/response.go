package evidence

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// ToolRequest is as the dialects read it.
type ToolRequest = dialect.ToolRequest

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
	for i := range r.Requests {
		if r.Requests[i].Ran() {
			return true
		}
	}
	return false
}

// A ToolResult is the result of a call that was shown to a model.
type ToolResult struct {
	ID     string          `cbor:"1,keyasint,omitzero"`
	Output scoring.Payload `cbor:"2,keyasint,omitzero"`
	Failed bool            `cbor:"3,keyasint,omitzero"`
}

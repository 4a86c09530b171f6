package agentrun

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A ModelResponse is what a model call tells of tool calls.
type ModelResponse struct {
	Span
	Scope    Scope
	Requests []ToolRequest
	Results  []ToolResult
	Counted  bool // it has told of the calls of a run that has closed
	// MessagesOnly: maybe nothing else tells of these calls, because the instrumentation is not known to write tool spans.
	MessagesOnly bool
	// Begins: the model was given messages in which nobody has answered yet, so a loop of model calls begins here. Answered
	// is the id of the last result that it was given, which leads to the model call before.
	Begins   bool
	Answered string
	// OfAgent: the span is the agent's own, or that of a group of agents, and no model call.
	OfAgent bool
	// Offered: the model was offered tools, so it is an agent's, whether it asked for any or not.
	Offered bool
}

const (
	// ModelResponseBytes is what a ModelResponse keeps alive, in bytes, without its texts and lists.
	ModelResponseBytes = 144
	// ToolRequestBytes is what a ToolRequest or a ToolResult keeps alive, in bytes, without its texts.
	ToolRequestBytes = 64
)

// Retained is what a keeps alive, in bytes.
func (a *ModelResponse) Retained() int {
	size := ModelResponseBytes + len(a.Answered) + (len(a.Requests)+len(a.Results))*ToolRequestBytes
	for i := range a.Requests {
		size += len(a.Requests[i].ID) + len(a.Requests[i].Name) + a.Requests[i].Arguments.Size()
	}
	for i := range a.Results {
		size += len(a.Results[i].ID) + a.Results[i].Output.Size()
	}
	return size
}

// ToolRequest is a call that a model asked for.
type ToolRequest struct {
	ID, Name  string
	Arguments scoring.Payload
}

// ToolResult is what a model was told of the outcome of a call.
type ToolResult struct {
	ID     string
	Output scoring.Payload
	Failed bool
}

// TimedResult is a ToolResult, and when a model was first told of it.
type TimedResult struct {
	ToolResult
	At pcommon.Timestamp
}

// Includes reports whether a asks for all that o asks for, and that is a part of it: o was flushed before the model had
// answered, or sent again.
func (a *ModelResponse) Includes(o *ModelResponse) bool {
	return len(o.Requests) <= len(a.Requests) && slices.EqualFunc(a.Requests[:len(o.Requests)], o.Requests, func(x, y ToolRequest) bool {
		return x.ID == y.ID && x.Name == y.Name && (x.Arguments == y.Arguments || y.Arguments == scoring.Payload{})
	})
}

// Sources says where the calls of a run are taken from.
type Sources uint8

const (
	// Auto takes the tool spans, and from messages what no tool span can tell.
	Auto     Sources = iota
	Spans            // tool spans only
	Messages         // what models asked for, with what tool spans tell of it
)

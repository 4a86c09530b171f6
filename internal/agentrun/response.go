package agentrun

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A ModelResponse is what a model call records about tool calls.
type ModelResponse struct {
	Span
	Requests []ToolRequest
	Results  []ToolResult
	// Answered is the ID of the last result that the model was given, which leads to the previous model call.
	Answered string
	Scope    Scope
	Counted  bool // its requests already counted for a run that has closed
	// MessagesOnly: perhaps nothing else records these calls, because the instrumentation may write no tool spans.
	MessagesOnly bool
	// Begins: the messages given to the model have no response yet, so a loop of model calls begins here.
	Begins bool
	// OfAgent: the span is that of an agent or of a group of agents, and no model call.
	OfAgent bool
	// Offered: the model was offered tools, so it is an agent's, whether it asked for any or not.
	Offered bool
}

const (
	// ModelResponseBytes is how many bytes a ModelResponse keeps alive, without its texts and lists.
	ModelResponseBytes = 144
	// ToolRequestBytes is how many bytes a ToolRequest or a ToolResult keeps alive, without its texts.
	ToolRequestBytes = 64
)

// Retained is how many bytes a keeps alive.
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

// ToolResult is the result of a call that was shown to a model.
type ToolResult struct {
	ID     string
	Output scoring.Payload
	Failed bool
}

// TimedResult is a ToolResult, with the time when a model was first shown it.
type TimedResult struct {
	ToolResult
	At pcommon.Timestamp
}

// Includes reports whether a has all requests of o, and o is an earlier copy of it: o was exported before the response was
// complete, or was sent again.
func (a *ModelResponse) Includes(o *ModelResponse) bool {
	return len(o.Requests) <= len(a.Requests) && slices.EqualFunc(a.Requests[:len(o.Requests)], o.Requests, func(x, y ToolRequest) bool {
		return x.ID == y.ID && x.Name == y.Name && (x.Arguments == y.Arguments || y.Arguments == scoring.Payload{})
	})
}

// Sources says which spans record the calls of a run.
type Sources uint8

const (
	// Auto takes the tool spans, and from messages what no tool span can have.
	Auto     Sources = iota
	Spans            // tool spans only
	Messages         // what models asked for, completed by tool spans
)

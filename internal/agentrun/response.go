package agentrun

import (
	"cmp"
	"math"
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
	// Shares is nil for nearly all responses. The span of a group of agents may say which agent of the group made which
	// requests: see [Share].
	Shares  *[]Share
	Scope   Scope
	Counted bool // its requests already counted for a run that has closed
	// MessagesOnly: perhaps nothing else records these calls, because the instrumentation may write no tool spans.
	MessagesOnly bool
	// Begins: the messages given to the model have no response yet, so a loop of model calls begins here.
	Begins bool
	// OfAgent: the span is that of an agent or of a group of agents, and no model call.
	OfAgent bool
	// Offered: the model was offered tools, so it is an agent's, whether it asked for any or not.
	Offered bool
	// Unread: the span may have requests or results that could not be read.
	Unread bool
}

const (
	// ModelResponseBytes is how many bytes a ModelResponse keeps alive, without its texts and lists.
	ModelResponseBytes = 144
	// ToolRequestBytes is how many bytes a ToolRequest or a ToolResult keeps alive, without its texts.
	ToolRequestBytes = 64
	shareBytes       = 48
	messageBytes     = 8
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
	if a.Shares != nil {
		for _, share := range *a.Shares {
			size += shareBytes + len(share.Agent) + len(share.Messages)*messageBytes
		}
	}
	return size
}

// A Share says which agent of a group made the next requests of the response on the group's span. Each share is one task of
// the agent. The requests belong to the one run of that agent inside of the group. If the group has several shares of an
// agent, or several runs of it, the requests belong to no run.
type Share struct {
	Agent string
	Task  int // its place in the group
	// Messages has how many calls each message of the agent requested, in order. It is empty if the agent requested nothing.
	Messages []int
}

// RankOf is the rank of a call that has this place in the response of a model.
func RankOf(place int) uint16 { return uint16(min(place, math.MaxUint16)) }

// Requests is how many requests the share has.
func (s Share) Requests() (n int) {
	for _, requests := range s.Messages {
		n += requests
	}
	return n
}

// CompareShares orders responses by their shares. Those without any are first.
func CompareShares(a, b ModelResponse) int {
	switch {
	case a.Shares == b.Shares:
		return 0
	case a.Shares == nil:
		return -1
	case b.Shares == nil:
		return 1
	}
	return slices.CompareFunc(*a.Shares, *b.Shares, compareShares)
}

func compareShares(a, b Share) int {
	return cmp.Or(cmp.Compare(a.Task, b.Task), slices.Compare(a.Messages, b.Messages), cmp.Compare(a.Agent, b.Agent))
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

// Includes reports whether a has all requests of o. Then o is an earlier copy of a: it was exported before the response was
// complete, or was sent again.
func (a *ModelResponse) Includes(o *ModelResponse) bool {
	if a.Shares != nil && o.Shares != nil {
		return a.includesShares(o)
	}
	return includes(a.Requests, o.Requests)
}

// includesShares reports whether a has all shares of o in the same order: o may have lost those that were given to runs.
func (a *ModelResponse) includesShares(o *ModelResponse) bool {
	requests, wanted, left := a.Requests, o.Requests, *o.Shares
	for _, share := range *a.Shares {
		n := min(share.Requests(), len(requests))
		if len(left) > 0 && compareShares(left[0], share) == 0 && n <= len(wanted) && includes(requests[:n], wanted[:n]) {
			left, wanted = left[1:], wanted[n:]
		}
		requests = requests[n:]
	}
	return len(left) == 0
}

func includes(all, first []ToolRequest) bool {
	return len(first) <= len(all) && slices.EqualFunc(all[:len(first)], first, func(x, y ToolRequest) bool {
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

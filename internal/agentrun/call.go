package agentrun

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Call is one tool call of a run.
type Call struct {
	scoring.Call
	Span
	// CallID is the ID that the model gave the call, or "" if no span has it.
	CallID string
	Scope  Scope
	Rank   uint16 // the place in the model's response
	Traits
	FromOtherProcess FromOtherProcess
	Source           CallSource
	// AskedBy is the model call whose response asked for this call and for others, empty if none is known.
	AskedBy pcommon.SpanID
	// Message is the message of a group's task that asked for this call, nil if none is known.
	Message *Message
}

// A Message is one of an assistant, as the span of a group of agents has it. Messages of one task have an order.
type Message struct {
	Group pcommon.SpanID // the group's span
	Task  int            // as in [Share]
	// Number counts the messages of the task that request calls, from 0.
	Number int
}

// FromGroup reports whether only the span of a group recorded the call. Its time is then the time in which it may have been.
func (c *Call) FromGroup() bool { return c.FromModel() && c.Message != nil && c.ID == c.Message.Group }

// FromModel reports whether only a model response recorded the call, so that Span is the model call's span.
func (c *Call) FromModel() bool { return c.Source == SourceModel }

// CallSource says how a call relates to the run that has it.
type CallSource uint8

const (
	SourceOwn    CallSource = iota // it is the run's, and has a span
	SourceShared                   // it is of a run inside of this one, and counts for this one too
	SourceModel                    // it is the run's, and only a model response recorded it
)

// Traits are what is uncertain about a call after its first span. When the run closes, its other spans decide.
type Traits struct {
	// ResultOnly: the span records how a call ended, and another span with the same name and arguments records its start.
	ResultOnly bool
	// UnnamedArgument: the arguments are, or may be, the value of the only argument, or were passed by position. Names are missing.
	UnnamedArgument bool
	// NormalizedName: the name has lost its case or its separators.
	NormalizedName bool
	// MCP: the span is an MCP span. Another span says who made the call, if any does.
	MCP bool
	// MCPServer: the span is an MCP server's, and an agent elsewhere called the server.
	MCPServer bool
	// UnknownTool: the output says that there is no such tool. If the agent's list of tools agrees, nothing was called.
	UnknownTool bool
}

// FromOtherProcess says which parts of a call only another process recorded. A verdict that depends on one is not complete.
type FromOtherProcess struct {
	Status, Arguments, Output bool
	// Forgotten: status and output are unsure. An MCP span or a result may be of another call, or others may have filled the table
	// that had the call's MCP span.
	Forgotten bool
}

// FillIn takes from o what c does not have, or has from another process only.
func (c *Call) FillIn(o *Call) {
	if c.FromOtherProcess.Arguments && !o.FromOtherProcess.Arguments && o.Arguments.Captured() {
		c.Arguments = scoring.Payload{}
	}
	if c.FromOtherProcess.Output && !o.FromOtherProcess.Output && o.Output.Captured() {
		c.Output = scoring.Payload{}
	}
	if !c.Arguments.Captured() {
		c.FromOtherProcess.Arguments, c.Traits.UnnamedArgument = o.FromOtherProcess.Arguments, o.Traits.UnnamedArgument
	}
	if !c.Output.Captured() {
		c.FromOtherProcess.Output = o.FromOtherProcess.Output
	}
	c.Arguments = c.Arguments.Or(o.Arguments)
	c.Output = c.Output.Or(o.Output)
	if c.Status == scoring.StatusUnset || c.FromOtherProcess.Status && o.Status != scoring.StatusUnset && !o.FromOtherProcess.Status {
		c.Status, c.FromOtherProcess.Status = o.Status, o.FromOtherProcess.Status
	}
	c.FromOtherProcess.Forgotten = c.FromOtherProcess.Forgotten || o.FromOtherProcess.Forgotten
}

// IsSameSpan reports whether both calls are of one span, which counts for two runs.
func (c *Call) IsSameSpan(o *Call) bool { return c.Trace == o.Trace && c.ID == o.ID }

// ClockSlack is how far the clocks of two instrumentations in one process may be apart: JavaScript's tick in milliseconds.
const ClockSlack = pcommon.Timestamp(2 * time.Millisecond)

// SameTime reports whether the call c of r and the call k of o may be one, by their times. Their spans overlap. A model asked
// for a call before it ended, and two model calls with the request are in runs that overlap.
func (r *Run) SameTime(c *Call, o *Run, k *Call) bool {
	if c.FromModel() && k.FromModel() {
		return Overlap(r.around(c), o.around(k))
	}
	return (k.FromModel() || r.madeBy(c) <= k.End+ClockSlack) && (c.FromModel() || o.madeBy(k) <= c.End+ClockSlack)
}

// madeBy is when a call of r began, at the earliest. A step is itself the model call, which may end after the call began.
func (r *Run) madeBy(c *Call) pcommon.Timestamp {
	if r.Step && c.FromModel() {
		return min(c.Start, r.around(c).Start)
	}
	return c.Start
}

// around is the span of the run of a call, or the call if the run's span did not arrive.
func (r *Run) around(c *Call) Span {
	if len(r.Anchors) == 0 {
		return c.Span
	}
	return r.Anchors[0].Span
}

// Matches reports whether two calls with one ID may be one call that two instrumentations recorded: their names are alike.
func (c *Call) Matches(o *Call) bool {
	return c.Scope.MayDiffer(o.Scope) && (c.Trace != o.Trace || c.ID != o.ID) && Overlap(c.Span, o.Span)
}

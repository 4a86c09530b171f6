package agentrun

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Call is one tool call of a run.
type Call struct {
	scoring.Call
	Span
	Scope Scope
	// CallID is what the model called it, "" where no span told.
	CallID string
	Traits
	FromOtherProcess FromOtherProcess
	Source           CallSource
	Rank             uint16 // the place in the model's response
	// AskedBy is the model call whose response asked for this call and for others, empty if none is known.
	AskedBy pcommon.SpanID
}

// FromModel reports whether only a model told of the call, so that the Span is the model's.
func (c *Call) FromModel() bool { return c.Source == SourceModel }

// CallSource is how a call stands to the run that has it.
type CallSource uint8

const (
	SourceOwn    CallSource = iota // it is the run's, and has a span
	SourceShared                   // it is of a run inside of this one, and counts for this one as well
	SourceModel                    // it is the run's, and only a model told of it
)

// Traits are what is uncertain about a call as a single span tells it. They are examined when its run closes, by the
// other spans of the run.
type Traits struct {
	// Outcome: the span tells how a call ended, and another one of the same name and arguments that it was made.
	ResultOnly bool
	// Bare: the arguments are the value of the only argument, without its name.
	UnnamedArgument bool
	// Folded: the name has lost its case or its separators.
	NormalizedName bool
	// Protocol: the span is a protocol's, and who made the call is told by others, if by anyone.
	MCP bool
	// Served: the span is that of the protocol's server, which is called by an agent elsewhere.
	MCPServer bool
	// Refused: the output says that there is no such tool. Nothing was called if the agent's list of tools says so too.
	UnknownTool bool
}

// FromOtherProcess says what of a call only another process recorded. A verdict must not depend on that and be complete.
type FromOtherProcess struct{ Status, Arguments, Output bool }

// FillIn takes from o what c does not tell, or knows from another process only.
func (c *Call) FillIn(o *Call) {
	if c.FromOtherProcess.Arguments && !o.FromOtherProcess.Arguments && o.Arguments.Captured() {
		c.Arguments = scoring.Payload{}
	}
	if c.FromOtherProcess.Output && !o.FromOtherProcess.Output && o.Output.Captured() {
		c.Output = scoring.Payload{}
	}
	if !c.Arguments.Captured() {
		c.FromOtherProcess.Arguments = o.FromOtherProcess.Arguments
	}
	if !c.Output.Captured() {
		c.FromOtherProcess.Output = o.FromOtherProcess.Output
	}
	c.Arguments = c.Arguments.Or(o.Arguments)
	c.Output = c.Output.Or(o.Output)
	if c.Status == scoring.StatusUnset || c.FromOtherProcess.Status && o.Status != scoring.StatusUnset && !o.FromOtherProcess.Status {
		c.Status, c.FromOtherProcess.Status = o.Status, o.FromOtherProcess.Status
	}
}

// IsAgain reports whether a call of the same process, with the same id and name, is told again: by its span, which counts
// for two runs, or by another instrumentation. One that tells twice of an id made two calls with it.
func (c *Call) IsAgain(o *Call) bool {
	return c.Trace == o.Trace && c.ID == o.ID || c.Scope.MayDiffer(o.Scope)
}

// Matches reports whether two calls with one id may be one, told by two instrumentations, if their names are alike.
func (c *Call) Matches(o *Call) bool {
	return c.Scope.MayDiffer(o.Scope) && (c.Trace != o.Trace || c.ID != o.ID) && Overlap(c.Span, o.Span)
}

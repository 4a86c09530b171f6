package scan

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// readResponse adds what a model call records about tool calls. It returns false if that is nothing, or nothing more than
// its tool spans record.
func (b *Batch) readResponse(run *agentrun.Settings, k *Recognized, span ptrace.Span) bool {
	sole := k.Reading.Traits.Has(dialect.MessagesOnly)
	read := k.Reading.Messages.Response(span, dialect.Want{
		Results:   sole || run.Sources == agentrun.Messages,
		Loops:     sole && run.Sources != agentrun.Spans,
		Arguments: run.KeepArguments, Outputs: run.KeepOutput,
	}, b.scratch)
	if read.Empty() && !read.Offered || run.Sources == agentrun.Spans && len(read.Requests) < 2 {
		return false
	}
	if sole && span.ParentSpanID().IsEmpty() {
		b.Step = true
	}
	a := &k.Response
	a.Span, a.MessagesOnly, a.Requests = agentrun.Of(span), sole, make([]agentrun.ToolRequest, len(read.Requests))
	for i := range read.Requests {
		a.Requests[i] = agentrun.ToolRequest(read.Requests[i])
	}
	a.Begins, a.Offered = read.Begins, read.Offered
	if n := len(read.Results); sole && n > 0 {
		a.Answered = read.Results[n-1].ID
	}
	a.Results = slices.Grow(a.Results, len(read.Results))
	for i := range read.Results {
		a.Results = append(a.Results, agentrun.ToolResult(read.Results[i]))
	}
	return true
}

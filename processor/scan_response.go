package processor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// readResponse adds what a model call tells of tool calls. It is false if that is nothing, and for a model call that tells
// nothing which its tool spans do not.
func (p *Processor) readResponse(k *recognized, span ptrace.Span, desk *dialect.Desk) bool {
	sole := k.reading.Traits.Has(dialect.Sole)
	read := k.reading.Messages.Response(span, dialect.Want{
		Results:   sole || p.set.Run.Sources == agentrun.Messages,
		Loops:     sole && p.set.Run.Sources != agentrun.Spans,
		Arguments: p.run.KeepArguments, Outputs: p.run.KeepOutput,
	}, desk)
	if read.Empty() && !read.Offered || p.set.Run.Sources == agentrun.Spans && len(read.Requests) < 2 {
		return false
	}
	if sole && span.ParentSpanID().IsEmpty() && !p.expectSteps.Load() {
		p.expectSteps.Store(true)
	}
	a := &k.response
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

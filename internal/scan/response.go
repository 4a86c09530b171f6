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
	if read.Shares != nil {
		keepUnique(&read)
	}
	if read.Empty() && !read.Offered && !read.Unread || run.Sources == agentrun.Spans && len(read.Requests) < 2 {
		return false
	}
	if p, n := b.Parents.Process, len(b.Steps); sole && read.Shares == nil && span.ParentSpanID().IsEmpty() && (n == 0 || b.Steps[n-1] != p) {
		b.Steps = append(b.Steps, p)
	}
	a := &k.Response
	a.Span, a.MessagesOnly, a.Requests = agentrun.Of(span), sole, make([]agentrun.ToolRequest, len(read.Requests))
	for i := range read.Requests {
		a.Requests[i] = agentrun.ToolRequest(read.Requests[i])
	}
	a.Begins, a.Offered, a.Unread = read.Begins, read.Offered || sole && read.Unread, read.Unread
	if read.Shares != nil {
		shares := make([]agentrun.Share, len(read.Shares))
		for i := range read.Shares {
			shares[i] = agentrun.Share(read.Shares[i])
		}
		a.Shares = &shares
	}
	if n := len(read.Results); sole && n > 0 {
		a.Answered = read.Results[n-1].ID
	}
	a.Results = slices.Grow(a.Results, len(read.Results))
	for i := range read.Results {
		a.Results = append(a.Results, agentrun.ToolResult(read.Results[i]))
	}
	return true
}

// keepUnique drops requests of a group whose call IDs are not unique. The spans of models may record the same requests, and
// only a unique ID shows that two records are one request. If they do not, calls are missing, as if they had not been read.
func keepUnique(read *dialect.ModelResponse) {
	kept, rest := read.Requests[:0], read.Requests
	for i := range read.Shares {
		share := &read.Shares[i]
		messages := share.Messages
		share.Messages = messages[:0]
		for _, requests := range messages {
			before := len(kept)
			for _, request := range rest[:requests] {
				if agentrun.IsUniqueCallID(request.ID) {
					kept = append(kept, request)
				}
			}
			rest = rest[requests:]
			if unique := len(kept) - before; unique > 0 {
				share.Messages = append(share.Messages, unique)
			}
		}
	}
	read.Unread = read.Unread || len(kept) < len(read.Requests)
	read.Requests = kept
	if len(kept) == 0 && !read.Unread {
		read.Shares = nil
	}
}

// loseName makes the run of an agent doubtful, because the agent's name could not be read. If the span is no agent's, the name is that
// of an agent below, and the runs of those are doubtful.
func (k *Recognized) loseName(span ptrace.Span) {
	k.Response = agentrun.ModelResponse{Span: agentrun.Of(span), OfAgent: true, Unread: true, MessagesOnly: true}
	if k.Reading.Role != dialect.Agent {
		k.Response.Shares = new([]agentrun.Share)
	}
}

package scan

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// readResponse returns what a model call records about tool calls. It is nil if that is nothing, or nothing more than its tool spans
// record.
func (b *Batch) readResponse(set *Settings, span ptrace.Span) *evidence.Response {
	sole := b.reading.Traits.Has(dialect.MessagesOnly)
	all := sole || set.Sources == runs.Messages
	read := b.reading.Messages.Response(span, dialect.Want{
		Results:   all || set.Sources == runs.Auto && !b.source.runsAll,
		Refusals:  !all,
		Loops:     sole && set.Sources != runs.Spans,
		Arguments: set.KeepArguments, Outputs: set.KeepOutput,
	}, b.scratch)
	var made, refused []string
	if !all {
		made, refused = madeCalls(read.Results)
		read.Results = nil
	}
	if read.Shares != nil {
		keepUnique(&read)
	}
	if read.Empty() && made == nil && refused == nil && read.NotOffered == nil && !read.Offered && !read.Unread && !read.Unrecorded || set.Sources == runs.Spans && len(read.Requests) < 2 {
		return nil
	}
	if sole && read.Shares == nil && span.ParentSpanID().IsEmpty() {
		by := evidence.Sender{Process: b.process(), Partition: b.source.partition}
		if n := len(b.Steps); n == 0 || b.Steps[n-1] != by {
			b.Steps = append(b.Steps, by)
		}
	}
	set.keep(read.Requests)
	set.keep(read.NotOffered)
	a := added(&b.responses)
	a.Requests, a.NotOffered, a.Made, a.Refused, a.Shares = read.Requests, read.NotOffered, made, refused, read.Shares
	a.MessagesOnly, a.Begins, a.Offered, a.Unread = sole, read.Begins, read.Offered || sole && read.Unread, read.Unread
	a.Unrecorded = read.Unrecorded
	if n := len(read.Results); sole && n > 0 {
		a.Answered = read.Results[n-1].ID
	}
	if len(read.Results) > 0 {
		a.Results = make([]evidence.ToolResult, len(read.Results))
	}
	for i := range read.Results {
		r := &read.Results[i]
		a.Results[i] = evidence.ToolResult{ID: r.ID, Output: set.kept(r.Output, set.KeepOutput).Clone(), Failed: r.Failed}
	}
	return a
}

// keep reduces the payloads of requests to what is kept.
func (set *Settings) keep(requests []evidence.ToolRequest) {
	for i := range requests {
		q := &requests[i]
		q.Arguments = set.kept(q.Arguments, set.KeepArguments).Clone() // a part of the whole text
		q.Output = set.kept(q.Output, set.KeepOutput).Clone()
	}
}

// madeCalls are the calls that have a result of a tool. A framework also shows a model that it refused a call.
func madeCalls(results []dialect.ToolResult) (made, refused []string) {
	for i := range results {
		if r := &results[i]; r.Failed || r.Refused {
			refused = append(refused, r.ID)
		} else {
			made = append(made, r.ID)
		}
	}
	return made, refused
}

// keepUnique drops requests of a group whose call IDs are not unique. The spans of models may record the same requests, and
// only a unique ID shows that two records are one request. If they do not, calls are missing, as if they had not been read.
func keepUnique(read *dialect.ModelResponse) {
	kept, rest := read.Requests[:0], read.Requests
	for i := range read.Shares {
		messages := read.Shares[i].Messages
		for m, n := range messages {
			unique := slices.DeleteFunc(rest[:n:n], func(q evidence.ToolRequest) bool { return !evidence.IsUniqueCallID(q.ID) })
			messages[m], rest = len(unique), rest[n:]
			kept = append(kept, unique...) // in the same memory, in front
		}
		read.Shares[i].Messages = slices.DeleteFunc(messages, func(n int) bool { return n == 0 })
	}
	read.Unread = read.Unread || len(kept) < len(read.Requests)
	read.Requests = kept
	if len(kept) == 0 && !read.Unread {
		read.Shares = nil
	}
}

// lostName makes the run of an agent doubtful, because the agent's name could not be read. If the span is no agent's, the name is that
// of an agent below, and the runs of those are doubtful. That of a tool makes the run of the call doubtful.
func lostName(r *dialect.Reading) *evidence.Response {
	a := &evidence.Response{OfAgent: r.Role != dialect.ToolCall, Unread: true, MessagesOnly: true}
	if a.OfAgent && r.Role != dialect.Agent {
		a.Shares = []evidence.Share{}
	}
	return a
}

package scan

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Settings say what is read of spans.
type Settings struct {
	runs.Options
	// MaxPayload is the size, in bytes, over which arguments and outputs count as too large.
	MaxPayload int
	// ConversationAttributes are those of [dialect.Scope.Conversations].
	ConversationAttributes []string
	// PartitionBy are the attributes of resources that keep spans apart.
	PartitionBy []string
	// AnnotateCalls makes the spans of tool calls candidates.
	AnnotateCalls bool
}

// source is the resource and the scope that are read.
type source struct {
	resource  pcommon.Resource
	process   evidence.Process // 0 until a fact needs it
	partition uint64
	scope     evidence.Scope
	runsAll   bool // the scope's framework runs all tools that its models request
}

// Read reads every span of td once.
func (b *Batch) Read(set *Settings, td ptrace.Traces) {
	for i := range td.ResourceSpans().Len() {
		rs := td.ResourceSpans().At(i)
		b.source = source{resource: rs.Resource(), partition: set.partition(rs.Resource())}
		scopes := rs.ScopeSpans()
		for j := range scopes.Len() {
			name := scopes.At(j).Scope().Name()
			scope := dialect.ScopeOf(name)
			b.source.scope, b.source.runsAll = evidence.ScopeOf(name), scope.RunsAllTools()
			scope.NoOutputs, scope.NoArguments, scope.Conversations = !set.KeepOutput, !set.KeepArguments, set.ConversationAttributes
			spans := scopes.At(j).Spans()
			b.Spans += spans.Len()
			for k := range spans.Len() {
				span := spans.At(k)
				id := span.TraceID()
				if id == (pcommon.TraceID{}) { // faster than IsEmpty, which is not inlined to the end
					continue // without a trace there is no run
				}
				// Most spans are of no agent, and copying would be half of their cost.
				if marks := scope.Marks(span); marks.None() {
					b.readUnmarked(set, span, id, heldspans.Place{Resource: i, Scope: j, Span: k})
				} else {
					b.readMarked(set, scope, marks, span, heldspans.Place{Resource: i, Scope: j, Span: k})
				}
			}
		}
	}
	b.source = source{}
}

// partition is a hash of the attributes that keep spans of a resource apart from others, 0 without any.
func (set *Settings) partition(r pcommon.Resource) uint64 {
	if len(set.PartitionBy) == 0 {
		return 0
	}
	h := sha256.New() // it is stored, and nobody may find another value with the same hash
	for _, key := range set.PartitionBy {
		text, has := "", false
		if v, ok := r.Attributes().Get(key); ok {
			text, has = attributes.Text(v)
		}
		size := binary.AppendUvarint(nil, uint64(len(text)))
		if !has {
			size = append(size, 0xff) // absent is not empty
		}
		_, _ = h.Write(size)
		_, _ = h.Write([]byte(text))
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

func (b *Batch) process() evidence.Process {
	if b.source.process == 0 {
		b.source.process = evidence.ProcessOf(b.source.resource)
	}
	return b.source.process
}

// readUnmarked notes a span that no dialect knows: who its parent is, and that it may be a root.
func (b *Batch) readUnmarked(set *Settings, span ptrace.Span, id pcommon.TraceID, at heldspans.Place) {
	parent := span.ParentSpanID()
	b.Parents.Add(evidence.Key{Trace: id, Partition: b.source.partition}, evidence.Link{ID: span.SpanID(), Parent: parent})
	if !isFirst(span, parent) {
		return
	}
	c := heldspans.Candidate{Place: at, Kind: evidence.Root, Process: b.process(), Partition: b.source.partition}
	if set.Conversations {
		c.Conversation = dialect.Conversation(span, set.ConversationAttributes)
	}
	b.Candidates = append(b.Candidates, c)
}

// readMarked reads a span that has marks.
func (b *Batch) readMarked(set *Settings, scope dialect.Scope, marks dialect.Marks, span ptrace.Span, at heldspans.Place) {
	r := &b.reading
	isKnown := scope.ReadMarked(span, marks, b.scratch, r)
	f := added(&b.Facts) // which is removed if the span says nothing
	f.Span, f.Scope, f.Kind = evidence.SpanOf(span, b.process()), b.source.scope, kindOf(r)
	switch {
	case r.Role == dialect.ModelCall:
		f.Response = b.readResponse(set, span)
		isKnown = f.Response != nil && !f.Response.OnlyProves()
	case r.Messages == dialect.AgentMessages && set.Sources == runs.Messages: // the spans of its models say which calls there were
	case r.Messages != dialect.NoMessages: // of an agent, or of several
		if f.Response = b.readResponse(set, span); f.Response != nil {
			f.Response.OfAgent = true
		}
	case r.Traits.Has(dialect.LostName):
		f.Response = lostName(r)
	case r.Traits.Has(dialect.Part) && r.Of != "":
		f.Response = &evidence.Response{OfAgent: true, Prompt: r.Of}
	}
	if r.Role == dialect.ToolCall {
		f.Call = b.readCall(set, span)
	}
	kind := evidence.Root // that the span may be held as
	if isKnown {
		f.Step = r.Role == dialect.Step || r.Traits.Has(dialect.Part)
		f.Agent, f.Conversation = r.Agent, r.Conversation
		if f.Kind == evidence.None {
			f.Agent = cmp.Or(f.Agent, r.Of)
		} else {
			kind = f.Kind
			b.Agents = append(b.Agents, at)
		}
	}
	if set.WholeTrace {
		kind = evidence.Root
	}
	root, call := isLocalRoot(span, r), set.AnnotateCalls && r.Role == dialect.ToolCall && f.Kind == evidence.None
	if call && !root {
		kind = evidence.Tool
	}
	if kind != evidence.Root || root {
		c := heldspans.Candidate{Place: at, Kind: kind, Process: f.Process, Partition: b.source.partition, Call: call}
		if isKnown {
			c.Agent, c.Conversation = r.Agent, f.Conversation
		} else if set.Conversations {
			c.Conversation = r.Conversation
		}
		b.Candidates = append(b.Candidates, c)
	}
	if isKnown && r.Role != dialect.Session || f.Response != nil {
		b.count()
	} else {
		link := evidence.Link{ID: f.ID, Parent: f.Parent, Model: r.Role == dialect.ModelCall}
		b.Parents.Add(evidence.Key{Trace: f.Trace, Partition: b.source.partition}, link)
		*f = evidence.Fact{}
		b.Facts = b.Facts[:len(b.Facts)-1]
	}
}

// kindOf is what a span may represent, by what a dialect read.
func kindOf(r *dialect.Reading) evidence.Kind {
	switch {
	case r.Role == dialect.Agent, r.Role == dialect.ToolCall && r.Agent != "":
		return evidence.Agent
	case r.Role == dialect.Workflow:
		return evidence.Workflow
	}
	return evidence.None
}

// readCall returns the call of a span, as far as it will be read.
func (b *Batch) readCall(set *Settings, span ptrace.Span) *evidence.Call {
	r, c := &b.reading, added(&b.calls)
	c.Name, c.ID, c.Status, c.Type = r.Call.Name, r.CallID, r.Call.Status, r.Call.Type
	c.Arguments, c.Output = set.kept(r.Call.Arguments, set.KeepArguments), set.kept(r.Call.Output, set.KeepOutput)
	c.Traits = evidence.Traits{
		ResultOnly:      r.Traits.Has(dialect.ResultOnly),
		UnnamedArgument: r.Traits.Has(dialect.UnnamedArgument),
		NormalizedName:  r.Traits.Has(dialect.NormalizedName),
		MCP:             r.Traits.Has(dialect.MCP),
		MCPServer:       r.Traits.Has(dialect.MCP) && span.Kind() == ptrace.SpanKindServer,
		UnknownTool:     r.Traits.Has(dialect.UnknownTool) || r.IsUndescribed(span),
		NotMade:         r.Traits.Has(dialect.NotMade),
	}
	return c
}

// kept is what is kept of a payload: nothing if it is not read, and less if it is too large.
func (set *Settings) kept(p scoring.Payload, keep bool) scoring.Payload {
	if !keep {
		return scoring.Payload{}
	}
	return p.Limit(set.MaxPayload)
}

// The flags of a span that say whether its parent is in another process (opentelemetry-proto, trace.proto, SpanFlags).
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

// isLocalRoot reports whether a span is the first one of its trace in its process. A tool call is so only if it has no
// parent, because the agent of a server's span is in another process. An MCP span never is, because the agent that called it
// is recorded elsewhere.
func isLocalRoot(span ptrace.Span, reading *dialect.Reading) bool {
	if reading.Role == dialect.Session || reading.Traits.Has(dialect.MCP) {
		return false
	}
	parent := span.ParentSpanID()
	return parent.IsEmpty() || reading.Role != dialect.ToolCall && isFirst(span, parent)
}

// isFirst reports whether a span has no parent in its process.
func isFirst(span ptrace.Span, parent pcommon.SpanID) bool {
	const remote = flagHasIsRemote | flagIsRemote
	kind := span.Kind()
	return parent == (pcommon.SpanID{}) || span.Flags()&remote == remote || kind == ptrace.SpanKindServer || kind == ptrace.SpanKindConsumer
}

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
	for i := range read.Results {
		read.Results[i].Output = set.kept(read.Results[i].Output, set.KeepOutput).Clone()
	}
	a := added(&b.responses)
	a.Requests, a.Results, a.NotOffered, a.Made, a.Refused, a.Shares = read.Requests, read.Results, read.NotOffered, made, refused, read.Shares
	a.MessagesOnly, a.Begins, a.Offered, a.Unread = sole, read.Begins, read.Offered || sole && read.Unread, read.Unread
	a.Unrecorded = read.Unrecorded
	if n := len(read.Results); sole && n > 0 {
		a.Answered = read.Results[n-1].ID
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

package processor

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// scan asks every span once. Calls and links are written down, and anchors are moved out of td.
func (p *Processor) scan(now time.Time, td ptrace.Traces) *batch {
	b := batches.Get().(*batch)
	b.tx = p.journal.BeginTx()
	p.identify(b, td)
	for i := range td.ResourceSpans().Len() {
		b.parents.Process = b.processes[i]
		scopes := td.ResourceSpans().At(i).ScopeSpans()
		for j := range scopes.Len() {
			scope := dialect.ScopeOf(scopes.At(j).Scope().Name())
			if !p.run.KeepOutput {
				scope = scope.WithoutOutputs()
			}
			spans := scopes.At(j).Spans()
			b.spans += spans.Len()
			for k := range spans.Len() {
				span := spans.At(k)
				id := span.TraceID()
				if id == (pcommon.TraceID{}) { // faster than IsEmpty, which is not inlined to the end
					continue // what belongs to no trace belongs to no run
				}
				// Most spans are of no agent, and copying what is known of those that are would be half of their cost.
				if marks := scope.Marks(span); marks.None() {
					p.scanUnmarked(b, span, id, heldspans.Place{Resource: i, Scope: j, Span: k})
				} else {
					p.scanMarked(b, scope, marks, span, heldspans.Place{Resource: i, Scope: j, Span: k})
				}
			}
		}
	}
	b.assignSources(td)
	p.parents.Add(&b.parents) // first, because what is recorded looks for its ancestors
	for rest := b.recognized; len(rest) > 0; {
		n := p.recordTrace(now, b, rest)
		rest = rest[n:]
	}
	p.markSharedCalls(b)
	p.rememberMCPSpans(b)
	p.addParents(now, b)
	// A root may stand before the calls of its trace, so candidates are asked again when all is written down.
	wanted := b.candidates[:0]
	for i := range b.candidates {
		if c := &b.candidates[i]; p.mustHold(td, b, c) {
			if c.Kind == agentrun.Root { // of the others it is known already that they are agents'
				p.evaluator.Clean(c.In(td))
			}
			wanted = append(wanted, *c)
		}
	}
	clear(b.candidates[len(wanted):])
	b.candidates = wanted
	if len(b.candidates) > 0 {
		b.held.Take(td, b.candidates, p.openBytes())
		p.origins.Add(b.held.Origins)
	}
	return b
}

// scanUnmarked notes a span that no dialect knows: who its parent is, and that it may be a root.
func (p *Processor) scanUnmarked(b *batch, span ptrace.Span, id pcommon.TraceID, at heldspans.Place) {
	parent := span.ParentSpanID()
	b.parents.Add(id, lookup.ParentLink{ID: span.SpanID(), Parent: parent})
	if !isFirst(span, parent) {
		return
	}
	c := heldspans.Candidate{Place: at, Recognized: -1, Kind: agentrun.Root}
	if p.set.Run.Conversations {
		c.Conversation = p.conversation(span, "")
	}
	b.candidates = append(b.candidates, c)
}

// scanMarked reads a span that has marks.
func (p *Processor) scanMarked(b *batch, scope dialect.Scope, marks dialect.Marks, span ptrace.Span, at heldspans.Place) {
	b.recognized = append(b.recognized, recognized{}) // what is known is large, and read where it stays
	k := &b.recognized[len(b.recognized)-1]
	isKnown := scope.ReadMarked(span, marks, &k.reading)
	switch {
	case k.reading.Role == dialect.ModelCall:
		isKnown = p.readResponse(k, span, b.desk)
	case k.reading.Messages != dialect.NoMessages: // of an agent, or of several
		k.response.OfAgent = p.readResponse(k, span, b.desk)
	}
	c := heldspans.Candidate{Place: at, Recognized: -1, Kind: agentrun.Root}
	if isKnown {
		k.span, k.resource, k.scopePlace = agentrun.Of(span), at.Resource, at.Scope
		k.mcpServer = k.reading.Traits.Has(dialect.Protocol) && span.Kind() == ptrace.SpanKindServer
		k.reading.Conversation = p.conversation(span, k.reading.Conversation)
		c.Agent, c.Conversation, c.Kind = k.reading.Agent, k.reading.Conversation, kindOf(&k.reading)
	} else {
		b.parents.Add(span.TraceID(), lookup.ParentLink{ID: span.SpanID(), Parent: span.ParentSpanID()})
	}
	if c.Kind != agentrun.Root {
		p.evaluator.Clean(span)
	}
	if p.set.Run.WholeTrace {
		c.Kind = agentrun.Root
	}
	root := isLocalRoot(span, &k.reading)
	if p.set.AnnotateCalls && k.reading.Role == dialect.ToolCall && c.Kind == agentrun.Root {
		c.Recognized = len(b.recognized) - 1
		if !root {
			c.Kind = agentrun.Tool
		}
	}
	if c.Kind != agentrun.Root || root {
		if p.set.Run.Conversations && !isKnown {
			c.Conversation = p.conversation(span, k.reading.Conversation)
		}
		b.candidates = append(b.candidates, c)
	}
	if !isKnown {
		*k = recognized{}
		b.recognized = b.recognized[:len(b.recognized)-1]
	}
}

// conversation is what the configured attributes tell, else what the dialect was told.
func (p *Processor) conversation(span ptrace.Span, told string) string {
	for _, key := range p.set.ConversationAttributes {
		if v, ok := span.Attributes().Get(key); ok {
			if text, ok := attributes.Text(v); ok && text != "" {
				return text
			}
		}
	}
	return told
}

// The flags of a span that tell whether its parent is in another process (opentelemetry-proto, trace.proto,
// SpanFlags).
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

// isLocalRoot reports whether a span is the first one of its trace in its process. A tool call is so only if nothing
// called it, because the server's side of a call has its agent in another process; and a protocol's span never is,
// because the agent that speaks it is told of elsewhere.
func isLocalRoot(span ptrace.Span, reading *dialect.Reading) bool {
	if reading.Role == dialect.Session || reading.Traits.Has(dialect.Protocol) {
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

// mustHold reports whether a candidate is to be held: for what it may stand for, or as the span of a call.
func (p *Processor) mustHold(td ptrace.Traces, b *batch, c *heldspans.Candidate) bool {
	span := c.In(td)
	key := lookup.KeyOf(span.TraceID())
	if c.Kind != agentrun.Agent && !p.agentic.MayContain(key) {
		return false
	}
	c.Process = b.processes[c.Resource]
	s := p.lock(key)
	defer p.unlock(s)
	of := agentrun.Of(span)
	of.Process = c.Process
	if c.Kind != agentrun.Tool && s.runs.ShouldHold(of, c.Kind) {
		return true
	}
	if c.Recognized < 0 || b.recognized[c.Recognized].late { // though another span has opened its trace again
		return false
	}
	c.Kind = agentrun.Tool
	return s.runs.ShouldHold(of, agentrun.Tool)
}

package scan

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// Settings say what is read of spans.
type Settings struct {
	// Run says what a run is and what is kept of it. Its times and limits are not used.
	Run *agentrun.Settings
	// ConversationAttributes are the attributes that name a span's conversation, before the dialect's own.
	ConversationAttributes []string
	// AnnotateCalls makes the spans of tool calls candidates.
	AnnotateCalls bool
}

// Read reads every span of td once.
func (b *Batch) Read(set *Settings, td ptrace.Traces) {
	for i := range td.ResourceSpans().Len() {
		b.Parents.Process = b.Processes[i]
		scopes := td.ResourceSpans().At(i).ScopeSpans()
		for j := range scopes.Len() {
			scope := dialect.ScopeOf(scopes.At(j).Scope().Name())
			if !set.Run.KeepOutput {
				scope = scope.WithoutOutputs()
			}
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
	b.assignSources(td)
}

// readUnmarked notes a span that no dialect knows: who its parent is, and that it may be a root.
func (b *Batch) readUnmarked(set *Settings, span ptrace.Span, id pcommon.TraceID, at heldspans.Place) {
	parent := span.ParentSpanID()
	b.Parents.Add(id, lookup.ParentLink{ID: span.SpanID(), Parent: parent})
	if !isFirst(span, parent) {
		return
	}
	c := heldspans.Candidate{Place: at, Recognized: -1, Kind: agentrun.Root}
	if set.Run.Conversations {
		c.Conversation = set.conversation(span, "")
	}
	b.Candidates = append(b.Candidates, c)
}

// readMarked reads a span that has marks.
func (b *Batch) readMarked(set *Settings, scope dialect.Scope, marks dialect.Marks, span ptrace.Span, at heldspans.Place) {
	k := b.nextRecognized() // large, so it is filled in its final place
	isKnown := scope.ReadMarked(span, marks, &k.Reading)
	switch {
	case k.Reading.Role == dialect.ModelCall:
		isKnown = b.readResponse(set.Run, k, span)
	case k.Reading.Messages != dialect.NoMessages: // of an agent, or of several
		k.Response.OfAgent = b.readResponse(set.Run, k, span)
	case k.Reading.Traits.Has(dialect.LostName):
		k.loseName(span)
	}
	c := heldspans.Candidate{Place: at, Recognized: -1, Kind: agentrun.Root}
	if isKnown {
		k.Span, k.resource, k.scopePlace = agentrun.Of(span), at.Resource, at.Scope
		k.MCPServer = k.Reading.Traits.Has(dialect.MCP) && span.Kind() == ptrace.SpanKindServer
		k.Reading.Conversation = set.conversation(span, k.Reading.Conversation)
		c.Agent, c.Conversation, c.Kind = k.Reading.Agent, k.Reading.Conversation, k.Kind()
	} else {
		b.Parents.Add(span.TraceID(), lookup.ParentLink{ID: span.SpanID(), Parent: span.ParentSpanID()})
	}
	if c.Kind != agentrun.Root {
		b.Agents = append(b.Agents, at)
	}
	if set.Run.WholeTrace {
		c.Kind = agentrun.Root
	}
	root := isLocalRoot(span, &k.Reading)
	if set.AnnotateCalls && k.Reading.Role == dialect.ToolCall && c.Kind == agentrun.Root {
		c.Recognized = len(b.Recognized) - 1
		if !root {
			c.Kind = agentrun.Tool
		}
	}
	if c.Kind != agentrun.Root || root {
		if set.Run.Conversations && !isKnown {
			c.Conversation = set.conversation(span, k.Reading.Conversation)
		}
		b.Candidates = append(b.Candidates, c)
	}
	if !isKnown {
		*k = Recognized{}
		b.Recognized = b.Recognized[:len(b.Recognized)-1]
	}
}

// conversation returns the first of the configured attributes that the span has, else the dialect's own.
func (set *Settings) conversation(span ptrace.Span, own string) string {
	for _, key := range set.ConversationAttributes {
		if v, ok := span.Attributes().Get(key); ok {
			if text, ok := attributes.Text(v); ok && text != "" {
				return text
			}
		}
	}
	return own
}

package tracebuffer

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// maxInferred is how many agents of a trace one process may tell of by their steps alone.
const maxInferred = 64

// AddStep writes down a step of an agent. Where no span stands for the agent itself, the span above the step does: a tool
// that runs an agent has the agent's calls below it, and they are not those of whoever called the tool.
func (b *Buffer) AddStep(now time.Time, s agentrun.Span) {
	t := b.trace(now, s)
	b.touch(t, now)
	b.addParent(t, s)
	b.addStep(t, agentrun.SpanKey{Process: s.Process, ID: s.Parent})
}

// addStep notes that there were steps of an agent below a span of their process.
func (b *Buffer) addStep(t *trace, above agentrun.SpanKey) {
	of := t.inferredAgents[above.Process]
	if above.ID.IsEmpty() || of[above.ID] || len(of) >= maxInferred {
		return
	}
	if of == nil {
		of = make(map[pcommon.SpanID]bool)
		if t.inferredAgents == nil {
			t.inferredAgents = make(inferredAgents)
		}
		t.inferredAgents[above.Process] = of
		b.resize(t, processBytes)
	}
	of[above.ID] = true
	b.resize(t, inferredBytes)
}

// AddConversation notes that a span of the trace, and of a process, tells of a conversation.
func (b *Buffer) AddConversation(id pcommon.TraceID, by agentrun.Process, conversation string) {
	if t, known := b.lookUp(id); known {
		if t.conversations == nil {
			t.conversations = new(conversations)
			b.resize(t, conversationBytes)
		}
		b.resize(t, t.conversations.add(by, conversation))
	}
}

// MarkShared notes that another trace tells of calls that a process made in this one.
func (b *Buffer) MarkShared(id pcommon.TraceID, by agentrun.Process) {
	if t, known := b.lookUp(id); known {
		b.resize(t, t.processTable.add(by, sharesCalls))
	}
}

// addAgentSpan notes an agent's or a workflow's span. Until it is held, which mostly is soon, calls of an agent wait for it: it
// may be in a batch that was refused, and comes again.
func (b *Buffer) addAgentSpan(t *trace, s agentrun.Span, kind agentrun.AnchorKind) {
	t.kinds[kind] = true
	switch kind {
	case agentrun.Agent:
		b.resize(t, t.processTable.add(s.Process, hasAgent))
	case agentrun.Workflow:
		b.resize(t, t.processTable.add(s.Process, hasWorkflow))
	}
	if kind == agentrun.Agent && !b.set.WholeTrace {
		b.awaitAnchor(t, s, kind)
	}
}

// MarkRefused notes that an anchor was not held, because the next consumer refused its batch. It is waited for, beyond the
// IdleTimeout: its sender comes again.
func (b *Buffer) MarkRefused(a agentrun.Anchor) {
	if t, known := b.lookUp(a.Trace); known && a.Kind != agentrun.Tool {
		b.awaitAnchor(t, a.Span, a.Kind)
	}
}

// awaitAnchor has an anchor waited for that was seen and is not held.
func (b *Buffer) awaitAnchor(t *trace, s agentrun.Span, kind agentrun.AnchorKind) {
	if s.ID.IsEmpty() || len(t.awaitedAnchors) >= maxAwaited || t.awaits(&s) {
		return
	}
	if r, closed := t.closedRuns.Closed(&s); !closed || r.ID.IsEmpty() {
		t.awaitedAnchors = append(t.awaitedAnchors, awaitedAnchor{s, kind})
		b.resize(t, awaitedBytes)
	}
}

const (
	// maxAwaited is how many anchors of a trace are waited for that were seen and are not held.
	maxAwaited = 64
	// resending is how long senders come again with what was refused: five minutes in exporters of collectors.
	resending = 10 * time.Minute
)

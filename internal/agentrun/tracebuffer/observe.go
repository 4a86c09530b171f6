package tracebuffer

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
)

// AddStep adds a step of an agent, with the agent's name or "". If no span represents the agent itself, the span above the
// step does. A tool that runs an agent has the agent's calls below it; they are not calls of the agent that called the tool.
// If the span above is an agent's without a name, it has the name that its steps agree on.
func (b *Buffer) AddStep(now time.Time, s agentrun.Span, agent string) {
	t := b.trace(now, s)
	b.touch(t, now)
	b.addParent(t, s)
	above := agentrun.SpanKey{Process: s.Process, ID: s.Parent}
	b.addStep(t, above)
	b.resize(t, t.stepNames.Add(above, agent))
}

// addStep notes that there were steps of an agent below a span of their process.
func (b *Buffer) addStep(t *trace, above agentrun.SpanKey) {
	grown, full := t.inferredAgents.Add(above)
	t.uncertain = t.uncertain || full
	b.resize(t, grown)
}

// AddConversation adds the conversation that a span of a process names.
func (b *Buffer) AddConversation(id pcommon.TraceID, by agentrun.Process, conversation string) {
	if t, known := b.lookUp(id); known {
		if t.conversations == nil {
			t.conversations = new(byprocess.Conversations)
			b.resize(t, byprocess.ConversationsBytes)
		}
		b.resize(t, t.conversations.Add(by, conversation))
	}
}

// MarkShared says that another trace records calls of a process too, and when a limit closed it. It returns when one closed either.
func (b *Buffer) MarkShared(id pcommon.TraceID, by agentrun.Process, evicted pcommon.Timestamp) pcommon.Timestamp {
	if t, known := b.lookUp(id); known {
		b.resize(t, t.processTable.Add(by, byprocess.SharesCalls))
		return t.forgotten.NoteEviction(evicted)
	}
	return max(evicted, b.decisions.Dropped(id).Evicted)
}

// addAgentSpan adds an agent's or a workflow's span that is not held yet. Usually it is held soon. If its batch was refused
// it comes again, so calls of the agent wait for it.
func (b *Buffer) addAgentSpan(t *trace, s agentrun.Span, kind agentrun.AnchorKind) {
	t.kinds[kind] = true
	switch kind {
	case agentrun.Agent:
		b.resize(t, t.processTable.Add(s.Process, byprocess.HasAgent)+t.inferredAgents.Forget(s.Key()))
	case agentrun.Workflow:
		b.resize(t, t.processTable.Add(s.Process, byprocess.HasWorkflow))
	}
	if kind == agentrun.Agent && !b.set.WholeTrace {
		b.awaitAnchor(t, s, kind)
	}
}

// MarkRefused says that an anchor was not held, because the next consumer refused its batch. Its sender tries again, so the
// trace awaits it beyond the IdleTimeout.
func (b *Buffer) MarkRefused(a agentrun.Anchor) {
	if t, known := b.lookUp(a.Trace); known && a.Kind != agentrun.Tool {
		b.awaitAnchor(t, a.Span, a.Kind)
		t.uncertain = t.uncertain || len(t.awaitedAnchors) >= maxAwaited && !t.awaits(&a.Span)
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
	// maxAwaited bounds how many anchors of a trace are awaited.
	maxAwaited = 64
	// resending is how long senders repeat what was refused. Exporters of collectors do it for five minutes.
	resending = 10 * time.Minute
)

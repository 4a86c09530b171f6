package agentrun

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxInner is how many agents of a trace may be told of by their steps alone.
const maxInner = 64

// Step writes down a step of an agent. Where no span stands for the agent itself, the span above the step does: a tool
// that runs an agent has the agent's calls below it, and they are not those of whoever called the tool.
func (b *Buffer) Step(now time.Time, s Span) {
	t := b.trace(now, s)
	b.touch(t, now)
	b.link(t, s)
	b.step(t, s.Parent)
}

// step notes that there were steps of an agent below a span.
func (b *Buffer) step(t *trace, above pcommon.SpanID) {
	if above.IsEmpty() || t.steps[above] || len(t.steps) >= maxInner {
		return
	}
	if t.steps == nil {
		t.steps = make(map[pcommon.SpanID]bool)
	}
	t.steps[above] = true
	b.resize(t, stepBytes)
}

// Conversation notes that a span of the trace tells of a conversation.
func (b *Buffer) Conversation(id pcommon.TraceID, conversation string) {
	if t, known := b.lookUp(id); known && (t.conversation == "" || conversation < t.conversation) {
		b.resize(t, len(conversation)-len(t.conversation))
		t.conversation = conversation
	}
}

// Joint notes that another trace tells of calls of this one.
func (b *Buffer) Joint(id pcommon.TraceID) {
	if t, known := b.lookUp(id); known {
		t.joint = true
	}
}

// sight notes an agent's or a workflow's span. Until it is held, which mostly is soon, calls of an agent wait for it: it
// may be in a batch that was refused, and comes again.
func (b *Buffer) sight(t *trace, s Span, tier Tier) {
	t.tiers[tier] = true
	if tier == Agent && !b.set.WholeTrace {
		b.expect(t, s, tier)
	}
}

// Refused notes that an anchor was not held, because the next consumer refused its batch. It is waited for, beyond the
// IdleTimeout: its sender comes again.
func (b *Buffer) Refused(a Anchor) {
	if t, known := b.lookUp(a.Trace); known && a.Tier != Tool {
		b.expect(t, a.Span, a.Tier)
	}
}

// expect has an anchor waited for that was seen and is not held.
func (b *Buffer) expect(t *trace, s Span, tier Tier) {
	if s.ID.IsEmpty() || len(t.expected) >= maxExpected || t.expects(s.ID) {
		return
	}
	if r, closed := t.past.closed(&s); !closed || r.ID.IsEmpty() {
		t.expected = append(t.expected, sight{s, tier})
		b.resize(t, expectedBytes)
	}
}

const (
	// maxExpected is how many anchors of a trace are waited for that were seen and are not held.
	maxExpected = 64
	// resending is how long senders come again with what was refused: five minutes in exporters of collectors.
	resending = 10 * time.Minute
)

package agentrun

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxInner is how many agents of a trace one process may tell of by their steps alone.
const maxInner = 64

// stepped are the spans of each process below which an agent took steps, though nothing else says that they ran one.
type stepped map[Process]map[pcommon.SpanID]bool

// has reports whether there were steps below a span, of its process or of an unknown one.
func (s stepped) has(span spanKey) bool { return s[span.process][span.id] || s[0][span.id] }

func (s stepped) bytes() (n int) {
	for _, of := range s {
		n += presenceBytes + len(of)*stepBytes
	}
	return n
}

// Step writes down a step of an agent. Where no span stands for the agent itself, the span above the step does: a tool
// that runs an agent has the agent's calls below it, and they are not those of whoever called the tool.
func (b *Buffer) Step(now time.Time, s Span) {
	t := b.trace(now, s)
	b.touch(t, now)
	b.link(t, s)
	b.step(t, spanKey{s.Process, s.Parent})
}

// step notes that there were steps of an agent below a span of their process.
func (b *Buffer) step(t *trace, above spanKey) {
	of := t.steps[above.process]
	if above.id.IsEmpty() || of[above.id] || len(of) >= maxInner {
		return
	}
	if of == nil {
		of = make(map[pcommon.SpanID]bool)
		if t.steps == nil {
			t.steps = make(stepped)
		}
		t.steps[above.process] = of
		b.resize(t, presenceBytes)
	}
	of[above.id] = true
	b.resize(t, stepBytes)
}

// Conversation notes that a span of the trace, and of a process, tells of a conversation.
func (b *Buffer) Conversation(id pcommon.TraceID, by Process, conversation string) {
	if t, known := b.lookUp(id); known {
		if t.conversations == nil {
			t.conversations = new(conversations)
			b.resize(t, conversationBytes)
		}
		b.resize(t, t.conversations.add(by, conversation))
	}
}

// Joint notes that another trace tells of calls that a process made in this one.
func (b *Buffer) Joint(id pcommon.TraceID, by Process) {
	if t, known := b.lookUp(id); known {
		b.resize(t, t.presences.add(by, isJoint))
	}
}

// sight notes an agent's or a workflow's span. Until it is held, which mostly is soon, calls of an agent wait for it: it
// may be in a batch that was refused, and comes again.
func (b *Buffer) sight(t *trace, s Span, tier Tier) {
	t.tiers[tier] = true
	switch tier {
	case Agent:
		b.resize(t, t.presences.add(s.Process, hasAgent))
	case Workflow:
		b.resize(t, t.presences.add(s.Process, hasWorkflow))
	}
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
	if s.ID.IsEmpty() || len(t.expected) >= maxExpected || t.expects(&s) {
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

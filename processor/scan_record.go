package processor

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scan"
)

// maxLocked is how many spans of one trace are added before another batch gets the lock of its shard. It also bounds how
// many call IDs are looked up under one lock of their table.
const maxLocked = 256

// recordTrace records the first span of rest and those of the same trace that follow it, and returns how many. Spans of one
// trace are usually neighbours, and then take the lock of their shard once.
func (p *Processor) recordTrace(now time.Time, b *batch, rest []scan.Recognized) (n int) {
	id := rest[0].Span.Trace
	s := p.lock(lookup.KeyOf(id))
	defer p.unlock(s)
	for n < min(len(rest), maxLocked) && rest[n].Span.Trace == id {
		p.record(now, b, s, &rest[n])
		n++
	}
	return n
}

// record stores what a dialect read from a span. The caller must hold the shard's lock.
func (p *Processor) record(now time.Time, b *batch, s *shard, k *scan.Recognized) {
	evidence := b.tx.Evidence()
	if evidence != nil {
		k.Record(evidence) // before the calls of a response are taken over
	}
	var ago time.Duration
	late := false
	switch k.Reading.Role {
	case dialect.Session:
		s.runs.AddParent(now, k.Span)
	case dialect.Step:
		s.runs.AddStep(now, k.Span, k.Reading.Agent)
	case dialect.Agent, dialect.Workflow, dialect.ModelCall:
		if k.Reading.Role != dialect.ModelCall && !k.Response.OfAgent {
			break
		}
		// A group repeats what its agents' models requested, so a late group says nothing about late calls.
		if ago, late = s.runs.AddResponse(now, k.Response); late && k.Response.Shares == nil {
			b.late = append(b.late, slices.Repeat([]time.Duration{ago}, len(k.Response.Requests))...)
		}
	case dialect.ToolCall:
		if ago, late = s.runs.AddCall(now, k.Call()); late {
			b.late = append(b.late, ago)
		}
	}
	if kind := k.Kind(); kind != agentrun.Root {
		s.runs.AddAgentSpan(now, k.Span, kind)
	}
	if k.Reading.Conversation != "" {
		s.runs.AddConversation(k.Span.Trace, k.Span.Process, k.Reading.Conversation)
	}
	if k.Late = late; late && evidence != nil {
		k.Record(evidence)
	}
	b.tx.Add(s.runs, k.Span.Trace)
}

// addParents gives the links of ordinary spans to the traces that are agentic. They stay in the ring as well: a trace
// may close, and open again for its next run.
func (p *Processor) addParents(now time.Time, b *batch) {
	rest := b.Parents.Links
	for _, t := range b.Parents.Traces {
		if p.agentic.MayContain(t.Key) {
			for links := rest[:t.N]; len(links) > 0; {
				n := min(len(links), maxLocked)
				if !p.addParentsOfTrace(now, b, t, links[:n]) {
					break // another trace has the same place in the agentic filter
				}
				links = links[n:]
			}
		}
		rest = rest[t.N:]
	}
}

// addParentsOfTrace gives links to a trace. It is false if the trace is not agentic.
func (p *Processor) addParentsOfTrace(now time.Time, b *batch, t lookup.TraceLinks, links []lookup.ParentLink) bool {
	s := p.lock(t.Key)
	defer p.unlock(s)
	for _, l := range links {
		span := agentrun.Span{Trace: t.ID, ID: l.ID, Parent: l.Parent, Process: t.Process}
		if !s.runs.AddParent(now, span) {
			return false
		}
		b.tx.AddParent(s.runs, span)
	}
	return true
}

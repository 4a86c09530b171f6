package processor

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// maxLocked is how many spans of one trace are written down before others get at its shard, and how many call ids are
// looked up before others get at their table.
const maxLocked = 256

// recordTrace writes down the first of some spans, and those behind it that are of the same trace. It returns how many
// that were: spans of one trace mostly stand together, and then take the lock of their shard once.
func (p *Processor) recordTrace(now time.Time, b *batch, rest []recognized) (n int) {
	id := rest[0].span.Trace
	s := p.lock(lookup.KeyOf(id))
	defer p.unlock(s)
	for n < min(len(rest), maxLocked) && rest[n].span.Trace == id {
		p.record(now, b, s, &rest[n])
		n++
	}
	return n
}

// record writes down what a dialect knew of a span. The caller has its shard.
func (p *Processor) record(now time.Time, b *batch, s *shard, k *recognized) {
	b.readEvidence(k, false) // before the calls of a response are taken over
	var ago time.Duration
	late := false
	switch k.reading.Role {
	case dialect.Session:
		s.runs.AddParent(now, k.span)
	case dialect.Step:
		s.runs.AddStep(now, k.span)
	case dialect.Agent, dialect.Workflow, dialect.ModelCall:
		if k.reading.Role != dialect.ModelCall && !k.response.OfAgent {
			break
		}
		if ago, late = s.runs.AddResponse(now, k.response); late {
			b.late = append(b.late, slices.Repeat([]time.Duration{ago}, len(k.response.Requests))...)
		}
	case dialect.ToolCall:
		if ago, late = s.runs.AddCall(now, callOf(k)); late {
			b.late = append(b.late, ago)
		}
	}
	if kind := kindOf(&k.reading); kind != agentrun.Root {
		s.runs.AddAgentSpan(now, k.span, kind)
	}
	if k.reading.Conversation != "" {
		s.runs.AddConversation(k.span.Trace, k.span.Process, k.reading.Conversation)
	}
	if k.late = late; late {
		b.readEvidence(k, true)
	}
	b.tx.Add(s.runs, k.span.Trace)
}

// readEvidence puts what is known of a span into evidence for the storage. It leaves out calls and model responses that came
// after their run had closed.
func (b *batch) readEvidence(k *recognized, late bool) {
	e := b.tx.Evidence()
	if e == nil {
		return
	}
	e.Reset(k.span.Trace)
	switch k.reading.Role {
	case dialect.Session:
		e.AddParent(k.span)
	case dialect.Step:
		e.AddStep(k.span)
	case dialect.ModelCall:
		if !late {
			e.AddResponse(k.response)
		}
	case dialect.ToolCall:
		if !late {
			e.AddCall(callOf(k))
		}
	}
	if k.response.OfAgent && !late {
		e.AddResponse(k.response)
	}
	if kind := kindOf(&k.reading); kind != agentrun.Root {
		e.AddAgentSpan(k.span, kind)
	}
	if k.reading.Conversation != "" {
		e.AddConversation(k.span.Process, k.reading.Conversation)
	}
}

// addParents gives the links of ordinary spans to the traces that are agentic. They stay in the ring as well: a trace
// may close, and open again for its next run.
func (p *Processor) addParents(now time.Time, b *batch) {
	rest := b.parents.Links
	for _, t := range b.parents.Traces {
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

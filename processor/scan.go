package processor

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scan"
)

// scan reads a batch. Calls and links go to the shards, and anchors are moved out of td.
func (p *Processor) scan(now time.Time, td ptrace.Traces) *batch {
	b := batches.Get().(*batch)
	b.tx = p.journal.BeginTx()
	p.identify(b, td)
	b.Read(&scan.Settings{Run: &p.run.Settings, ConversationAttributes: p.set.ConversationAttributes, AnnotateCalls: p.set.AnnotateCalls}, td)
	for _, at := range b.Agents {
		p.evaluator.Clean(at.In(td))
	}
	for _, process := range b.Steps {
		p.stepSenders.Add(pcommon.NewTimestampFromTime(now), process)
	}
	p.parents.Add(uint32(now.Unix()), &b.Parents) // first, because what is recorded looks for its ancestors
	for rest := b.Recognized; len(rest) > 0; {
		n := p.recordTrace(now, b, rest)
		rest = rest[n:]
	}
	p.markSharedCalls(b)
	p.rememberMCPSpans(now, b)
	p.addParents(now, b)
	// A root may stand before the calls of its trace, so candidates are asked again when all is written down.
	wanted := b.Candidates[:0]
	for i := range b.Candidates {
		if c := &b.Candidates[i]; p.mustHold(td, b, c) {
			if c.Kind == agentrun.Root { // of the others it is known already that they are agents'
				p.evaluator.Clean(c.In(td))
			}
			wanted = append(wanted, *c)
		}
	}
	clear(b.Candidates[len(wanted):])
	b.Candidates = wanted
	if len(b.Candidates) > 0 {
		b.held.Take(td, b.Candidates, p.openBytes())
		p.origins.Add(b.held.Origins)
	}
	return b
}

// identify finds out which processes sent the batch, by the places of their resources.
func (p *Processor) identify(b *batch, td ptrace.Traces) {
	resources := td.ResourceSpans()
	b.Processes = slices.Grow(b.Processes[:0], resources.Len())[:resources.Len()]
	for i := range b.Processes {
		b.Processes[i], b.room = p.processes.Of(resources.At(i).Resource(), b.room)
	}
}

// mustHold reports whether a candidate must be held: because it may represent a run, or as the span of a call.
func (p *Processor) mustHold(td ptrace.Traces, b *batch, c *heldspans.Candidate) bool {
	span := c.In(td)
	key := lookup.KeyOf(span.TraceID())
	if c.Kind != agentrun.Agent && !p.agentic.MayContain(key) {
		return false
	}
	c.Process = b.Processes[c.Resource]
	s := p.lock(key)
	defer p.unlock(s)
	of := agentrun.Of(span)
	of.Process = c.Process
	if c.Kind != agentrun.Tool && s.runs.ShouldHold(of, c.Kind) {
		return true
	}
	if c.Recognized < 0 || b.Recognized[c.Recognized].Late { // though another span has opened its trace again
		return false
	}
	c.Kind = agentrun.Tool
	return s.runs.ShouldHold(of, agentrun.Tool)
}

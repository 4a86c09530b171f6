package processor

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// markSharedCalls has traces wait for each other if a span of the batch and one of another trace have the same call.
func (p *Processor) markSharedCalls(b *batch) {
	if p.set.Run.WholeTrace {
		return
	}
	for i := range b.Recognized {
		k := &b.Recognized[i]
		callID := agentrun.ScopedCallID{ID: k.Reading.CallID, Process: k.Span.Process, Scope: k.Scope}
		b.sightings = p.callIDs.AppendSighting(b.sightings, callID, &k.Span)
		for j := range k.Response.Requests {
			callID.ID = k.Response.Requests[j].ID
			b.sightings = p.callIDs.AppendSighting(b.sightings, callID, &k.Span)
		}
	}
	p.markShared(b.sightings)
}

// markShared makes traces wait for each other if they record the same call. The caller must hold no shard lock.
func (p *Processor) markShared(list []lookup.Sighting) {
	for part := range slices.Chunk(list, maxLocked) {
		for _, two := range p.callIDs.Add(uint32(p.clock.now().Unix()), part) {
			for _, id := range two.InTurn() {
				s := p.lock(lookup.KeyOf(id))
				two.Evicted = s.runs.MarkShared(id, two.Process, two.Evicted)
				p.unlock(s)
			}
		}
	}
}

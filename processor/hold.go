package processor

import (
	"context"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// hold puts the anchors into their shards. Copies of anchors whose run was scored in the meantime are forwarded. After
// Shutdown all anchors are forwarded, because no run is scored any more.
func (p *Processor) hold(ctx context.Context, anchors []agentrun.Anchor) error {
	late := p.putIntoShards(anchors)
	p.waiting.Add(int64(len(anchors) - len(late)))
	p.telemetry.ProcessorToolCorrectnessSpansHeld.Add(ctx, int64(len(anchors)-len(late)))
	if len(late) == 0 {
		return nil
	}
	p.journal.Forget(late) // if they are refused, the caller sends them again
	p.releaseOrigins(late)
	return p.passOn(ctx, late)
}

// refused notes that anchors are not held, because the rest of their batch was refused.
func (p *Processor) refused(anchors []agentrun.Anchor) {
	p.journal.Forget(anchors)
	p.releaseOrigins(anchors)
	for _, a := range anchors {
		s := p.lock(lookup.KeyOf(a.Trace))
		s.runs.MarkRefused(a)
		p.unlock(s)
	}
}

// putIntoShards returns the anchors that it did not put into a shard.
func (p *Processor) putIntoShards(anchors []agentrun.Anchor) (late []agentrun.Anchor) {
	p.intake.RLock()
	defer p.intake.RUnlock()
	if p.closed {
		return anchors
	}
	now, full := p.clock.now(), agentrun.ClosedBatch{} // read again, because the next consumer may have been slow
	for _, a := range anchors {
		s := p.lock(lookup.KeyOf(a.Trace))
		switch anchorless, closed := s.runs.Closed(a); {
		case !closed:
			s.runs.Hold(now, a)
			s.runs.EvictFull(now, a.Trace, &full)
		case anchorless != nil:
			p.enqueue(agentrun.ClosedBatch{Runs: []agentrun.Run{*anchorless}})
		default:
			late = append(late, a)
		}
		p.unlock(s)
	}
	p.enqueue(full)
	return late
}

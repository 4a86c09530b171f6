package processor

import (
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// evictOverLimit closes runs until the processor is within its limits: first those that are due, then those that have been
// idle longest. The caller must hold no shard lock.
func (p *Processor) evictOverLimit(now time.Time) {
	for p.overLimit() {
		s := p.idlest()
		if s == nil {
			return
		}
		s.mu.Lock()
		var h agentrun.ClosedBatch
		more := s.runs.CloseDue(now, &h)
		if p.count(s); !more && p.overLimit() {
			s.runs.EvictOldest(now, &h)
		}
		p.enqueue(h) // before the lock is given up, so that Shutdown finds it in the shard or in the queue
		p.unlock(s)
	}
}

// idlest returns the shard with the trace that has been idle longest, or nil if none is open.
func (p *Processor) idlest() (found *shard) {
	at := int64(never)
	for i := range p.shards {
		if seen := p.shards[i].lastSeen.Load(); seen < at {
			found, at = &p.shards[i], seen
		}
	}
	return found
}

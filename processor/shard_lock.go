package processor

import (
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// lock returns the shard of a trace, locked. The caller must pass the shard to unlock and must not block while holding it.
func (p *Processor) lock(k lookup.TraceKey) *shard {
	s := &p.shards[int(k)&(len(p.shards)-1)]
	s.mu.Lock()
	return s
}

func (p *Processor) unlock(s *shard) {
	p.count(s)
	s.mu.Unlock()
}

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

// inParts works on a shard until there is no more to do. Other goroutines get the shard in between.
func (p *Processor) inParts(s *shard, work func() (more bool)) {
	for more := true; more; {
		s.mu.Lock()
		more = work()
		p.unlock(s)
	}
}

// idlest returns the shard with the trace that has been idle longest, or nil if none is open.
func (p *Processor) idlest() *shard {
	var quietest *shard
	at := int64(never)
	for i := range p.shards {
		if seen := p.shards[i].lastSeen.Load(); seen < at {
			quietest, at = &p.shards[i], seen
		}
	}
	return quietest
}

// count brings the totals up to date with s, which is locked.
func (p *Processor) count(s *shard) {
	size, open := s.runs.Size(), s.runs.Open()
	if size != s.size {
		p.size.Add(int64(size - s.size))
		s.size = size
	}
	if remembered := s.runs.Remembered(); remembered != s.remembered {
		p.remembered.Add(int64(remembered - s.remembered))
		s.remembered = remembered
	}
	if open != s.open {
		p.open.Add(int64(open - s.open))
		s.open = open
	}
	seen := int64(never)
	if at, ok := s.runs.LastSeen(); ok {
		seen = at.UnixNano()
	}
	if s.lastSeen.Load() != seen {
		s.lastSeen.Store(seen)
	}
}

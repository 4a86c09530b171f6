package processor

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"

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

// inParts works on a shard until there is no more to do. Other goroutines get the shard in between.
func (p *Processor) inParts(s *shard, work func() (more bool)) {
	for more := true; more; {
		s.mu.Lock()
		more = work()
		p.unlock(s)
	}
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

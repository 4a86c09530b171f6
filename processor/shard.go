package processor

import (
	"sync"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// shardCount is a power of two well above the number of cores that a collector gets.
const shardCount = 32

// shard is the runs of some traces. A trace never changes its shard.
type shard struct {
	mu sync.Mutex
	// runs is guarded by mu, and so are size and open: what the processor's totals know of runs.
	runs *agentrun.Buffer
	size int
	open int
}

// lock returns the shard of a trace, locked. Whoever has it gives it to unlock, and calls nothing that may block.
func (p *Processor) lock(k traceKey) *shard {
	s := &p.shards[uint64(k)%shardCount]
	s.mu.Lock()
	return s
}

// unlock unlocks s. If the processor holds more than it may, runs of s are closed first.
func (p *Processor) unlock(s *shard, now time.Time) {
	p.count(s)
	var h agentrun.Harvest
	if p.overLimit() {
		h = s.runs.Due(now)
		p.count(s)
		for p.overLimit() && s.open > 0 {
			o := s.runs.Oldest()
			h.Add(o)
			p.count(s)
		}
	}
	s.mu.Unlock()
	p.enqueue(h)
}

// count brings the totals up to date with s, which is locked.
func (p *Processor) count(s *shard) {
	size, open := s.runs.Size(), s.runs.Open()
	if size != s.size {
		p.size.Add(int64(size - s.size))
		s.size = size
	}
	if open != s.open {
		p.open.Add(int64(open - s.open))
		s.open = open
	}
}

func (p *Processor) overLimit() bool {
	return p.size.Load() > p.set.Limits.Bytes || p.open.Load() > int64(p.set.Limits.OpenRuns)
}

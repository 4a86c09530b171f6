package processor

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// traceKey is a hash of a trace id. Its bits choose counter, bucket and shard.
type traceKey uint64

// keySeed is another one in every process, so that no sender can make trace ids that meet in one counter, bucket or shard.
var keySeed = maphash.MakeSeed()

// keyOf spreads whatever tracers make ids of: random numbers, clocks, ids that count up at either end.
func keyOf(id pcommon.TraceID) traceKey { return traceKey(maphash.Bytes(keySeed, id[:])) }

// agenticFilter answers "surely not agentic" without a lock. It counts, for each hash of a trace id, the agentic traces that
// are open; a false "maybe" costs a look into a shard, a false "surely not" cannot be. The counters are made for the
// first agentic trace.
type agenticFilter struct {
	// most is how many counters there may be, a power of two; 0 is sieveCounters. It never changes.
	most   int
	counts atomic.Pointer[[]atomic.Int32]
}

// maxCounters take 1 MiB: enough that of 100,000 open traces every third ordinary one meets another's counter.
const (
	maxCounters   = 1 << 18
	leastCounters = 1 << 4
	counterBytes  = 4
)

// countersWithin is how many counters an agentic filter may have in so many bytes.
func countersWithin(bytes int64) int {
	return min(max(1<<bits.Len64(uint64(bytes/counterBytes))/2, leastCounters), maxCounters)
}

// mayContain reports whether a trace with that key may be agentic.
func (s *agenticFilter) mayContain(k traceKey) bool {
	counts := s.counts.Load()
	return counts != nil && (*counts)[uint64(k)&uint64(len(*counts)-1)].Load() > 0
}

func (s *agenticFilter) add(k traceKey)    { s.at(k).Add(1) }
func (s *agenticFilter) remove(k traceKey) { s.at(k).Add(-1) }

func (s *agenticFilter) at(k traceKey) *atomic.Int32 {
	counts := s.counts.Load()
	if counts == nil {
		counts = s.makeCounters()
	}
	return &(*counts)[uint64(k)&uint64(len(*counts)-1)]
}

// makeCounters makes the counters. Of several that do so at once, the first one's are taken.
func (s *agenticFilter) makeCounters() *[]atomic.Int32 {
	n := s.most
	if n == 0 {
		n = maxCounters
	}
	made := make([]atomic.Int32, n)
	s.counts.CompareAndSwap(nil, &made)
	return s.counts.Load()
}

// bytes is what the counters take.
func (s *agenticFilter) bytes() int64 {
	if counts := s.counts.Load(); counts != nil {
		return int64(len(*counts)) * counterBytes
	}
	return 0
}

package lookup

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// AgenticFilter answers "surely not agentic" without a lock. It counts, for each hash of a trace ID, the agentic traces that
// are open. A false "maybe" costs a look into a shard, and a false "surely not" is impossible. The counters are made for the
// first agentic trace.
type AgenticFilter struct {
	// most is how many counters there may be, a power of two; 0 is maxCounters. It never changes.
	most   int
	counts atomic.Pointer[[]atomic.Int32]
}

// maxCounters take 1 MiB. With 100,000 open agentic traces, a third of the ordinary traces share a counter with one.
const (
	maxCounters  = 1 << 18
	counterBytes = 4
)

// Limit bounds the filter to that number of bytes. The caller must call it before the first use.
func (f *AgenticFilter) Limit(bytes int64) { f.most = powerWithin(bytes/counterBytes, maxCounters) }

// MayContain reports whether a trace with that key may be agentic.
func (f *AgenticFilter) MayContain(k TraceKey) bool {
	counts := f.counts.Load()
	return counts != nil && (*counts)[uint64(k)&uint64(len(*counts)-1)].Load() > 0
}

// Add counts a trace that has become agentic.
func (f *AgenticFilter) Add(k TraceKey) { f.at(k).Add(1) }

// Remove undoes one Add.
func (f *AgenticFilter) Remove(k TraceKey) { f.at(k).Add(-1) }

func (f *AgenticFilter) at(k TraceKey) *atomic.Int32 {
	counts := f.counts.Load()
	if counts == nil { // if several goroutines make them at once, the first one's are used
		made := make([]atomic.Int32, cmp.Or(f.most, maxCounters))
		f.counts.CompareAndSwap(nil, &made)
		counts = f.counts.Load()
	}
	return &(*counts)[uint64(k)&uint64(len(*counts)-1)]
}

// Size is how many bytes the counters take.
func (f *AgenticFilter) Size() int64 {
	if counts := f.counts.Load(); counts != nil {
		return int64(len(*counts)) * counterBytes
	}
	return 0
}

// Counted is how many traces the filter counts: those that were added and not removed.
func (f *AgenticFilter) Counted() (n int) {
	if counts := f.counts.Load(); counts != nil {
		for i := range *counts {
			n += int((*counts)[i].Load())
		}
	}
	return n
}

// TraceKey is a hash of a trace. Its bits choose a counter and a bucket.
type TraceKey uint64

// keySeed is another one in every process, so that no sender can make trace IDs that meet in one counter or bucket.
var keySeed = maphash.MakeSeed()

// KeyOf spreads whatever tracers make IDs of: random numbers, clocks, IDs that count up at either end.
func KeyOf(k evidence.Key) TraceKey {
	return TraceKey(maphash.Bytes(keySeed, k.Trace[:]) ^ k.Partition*0x9E3779B97F4A7C15)
}

// leastPlaces is how many counters or links there is room for in any case.
const leastPlaces = 1 << 4

// powerWithin is the largest power of two within n, of at least leastPlaces and at most that many.
func powerWithin(n int64, most int) int {
	return min(max(1<<bits.Len64(uint64(n))/2, leastPlaces), most)
}

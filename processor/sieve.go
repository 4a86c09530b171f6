package processor

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// traceKey is a mixed hash of a trace id. Its bits choose counter, bucket and shard.
type traceKey uint64

// keyOf folds both halves, because some tracers put a clock in the first, and mixes them. Both halves of the products
// are used, so that ids that count up at either end spread as well as random ones do. The multipliers are odd and have
// about as many ones as zeros, as in wyhash.
func keyOf(id pcommon.TraceID) traceKey {
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(id[:8])^0xa0761d6478bd642f, binary.LittleEndian.Uint64(id[8:])^0xe7037ed1a0b428db)
	hi, lo = bits.Mul64(hi^lo, 0x9E3779B97F4A7C15)
	return traceKey(hi ^ lo)
}

// sieve answers "surely not agentic" without a lock. It counts, for each hash of a trace id, the agentic traces that
// are open; a false "maybe" costs a look into a shard, a false "surely not" cannot be. The counters are made for the
// first agentic trace.
type sieve struct {
	// most is how many counters there may be, a power of two; 0 is sieveCounters. It never changes.
	most   int
	counts atomic.Pointer[[]atomic.Int32]
}

// sieveCounters take 1 MiB: enough that of 100,000 open traces every third ordinary one meets another's counter.
const (
	sieveCounters = 1 << 18
	leastCounters = 1 << 4
	counterBytes  = 4
)

// countersWithin is how many counters a sieve may have in so many bytes.
func countersWithin(bytes int64) int {
	return min(max(1<<bits.Len64(uint64(bytes/counterBytes))/2, leastCounters), sieveCounters)
}

// maybe reports whether a trace with that key may be agentic.
func (s *sieve) maybe(k traceKey) bool {
	counts := s.counts.Load()
	return counts != nil && (*counts)[uint64(k)&uint64(len(*counts)-1)].Load() > 0
}

func (s *sieve) add(k traceKey)    { s.at(k).Add(1) }
func (s *sieve) remove(k traceKey) { s.at(k).Add(-1) }

func (s *sieve) at(k traceKey) *atomic.Int32 {
	counts := s.counts.Load()
	if counts == nil {
		counts = s.begin()
	}
	return &(*counts)[uint64(k)&uint64(len(*counts)-1)]
}

// begin makes the counters. Of several that do so at once, the first one's are taken.
func (s *sieve) begin() *[]atomic.Int32 {
	n := s.most
	if n == 0 {
		n = sieveCounters
	}
	made := make([]atomic.Int32, n)
	s.counts.CompareAndSwap(nil, &made)
	return s.counts.Load()
}

// bytes is what the counters take.
func (s *sieve) bytes() int64 {
	if counts := s.counts.Load(); counts != nil {
		return int64(len(*counts)) * counterBytes
	}
	return 0
}

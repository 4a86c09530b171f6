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
// are open; a false "maybe" costs a look into a shard, a false "surely not" cannot be.
type sieve struct{ counts [1 << 18]atomic.Int32 }

func (s *sieve) at(k traceKey) *atomic.Int32 { return &s.counts[uint64(k)%uint64(len(s.counts))] }

// maybe reports whether a trace with that key may be agentic.
func (s *sieve) maybe(k traceKey) bool { return s.at(k).Load() > 0 }

func (s *sieve) add(k traceKey)    { s.at(k).Add(1) }
func (s *sieve) remove(k traceKey) { s.at(k).Add(-1) }

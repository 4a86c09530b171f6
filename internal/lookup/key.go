package lookup

import (
	"hash/maphash"
	"math/bits"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

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

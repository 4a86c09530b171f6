package processor

import (
	"hash/maphash"
	"math/bits"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// kin finds traces that tell of the same calls: it remembers in which trace a call id was seen last. It keeps hashes,
// because a confusion costs no more than a short wait: whether runs are one is found out when they close.
//
// Ids whose hashes have the same low bits share a bucket, where the newest stand first and the oldest falls out. The
// table is made for the first id, and never grows. A look at one of 200,000 ids takes 26 ns (BenchmarkKin), where two maps
// that forgot by halves took 138.
type kin struct {
	seed maphash.Seed
	// most is how many buckets there are once there are any, a power of two. It never changes.
	most int
	size atomic.Int64 // of the buckets, in bytes

	mu      sync.Mutex // guards buckets
	buckets []kinBucket
}

// kinBucket is some ids and the traces that they were seen in last.
type kinBucket [4]struct {
	hash  uint64
	trace pcommon.TraceID
}

const (
	// kinBuckets have room for 65,536 call ids in 1.5 MiB. As buckets fill unevenly, 98 of 100 ids are remembered until
	// 16,384 newer ones have come, and 86 until 32,768 have.
	kinBuckets     = 1 << 14
	leastBuckets   = 1 << 3
	kinBucketBytes = 96
)

// newKin returns a kin that takes so many bytes at most, if that is not less than leastBuckets take.
func newKin(bytes int64) *kin {
	most := min(max(1<<bits.Len64(uint64(bytes/kinBucketBytes))/2, leastBuckets), kinBuckets)
	return &kin{seed: maphash.MakeSeed(), most: most}
}

// bytes is what the table keeps alive.
func (k *kin) bytes() int64 { return k.size.Load() }

// sight notes that a trace tells of a call, and returns another one that did before.
func (k *kin) sight(callID string, id pcommon.TraceID) (other pcommon.TraceID, ok bool) {
	if !agentrun.Telling(callID) {
		return other, false
	}
	hash := maphash.String(k.seed, callID)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.buckets == nil {
		k.buckets = make([]kinBucket, k.most)
		k.size.Store(int64(k.most) * kinBucketBytes)
	}
	b := &k.buckets[hash&uint64(k.most-1)]
	at := 0
	for at < len(b)-1 && (b[at].hash != hash || b[at].trace.IsEmpty()) {
		at++
	}
	if b[at].hash == hash {
		other = b[at].trace
	}
	copy(b[1:at+1], b[:at])
	b[0].hash, b[0].trace = hash, id
	return other, !other.IsEmpty() && other != id
}

// relate has both traces wait for each other if they tell of the same call. Nobody may hold a shard.
func (p *Processor) relate(callID string, id pcommon.TraceID) {
	if p.set.Run.WholeTrace {
		return
	}
	other, ok := p.kin.sight(callID, id)
	if !ok {
		return
	}
	for _, joint := range [...]pcommon.TraceID{id, other} {
		s := p.lock(keyOf(joint))
		s.runs.Joint(joint)
		p.unlock(s)
	}
}

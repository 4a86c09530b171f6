package processor

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// kin finds traces that tell of the same calls: it remembers in which trace a call id was seen last. It keeps hashes,
// because a confusion costs no more than a short wait: whether runs are one is found out when they close.
type kin struct {
	mu sync.Mutex
	// seen is the newer half of what is remembered, and older the other one. Both are guarded by mu.
	seen, older map[uint64]pcommon.TraceID
	seed        maphash.Seed
	// half is how many call ids each half remembers. It never changes.
	half int
	size atomic.Int64 // of both halves, in bytes
}

const (
	// kinHalf is the most that half may be, and leastHalf the least.
	kinHalf   = 1 << 15
	leastHalf = 1 << 4
	// kinBytes is what a call id takes in a map, as measured.
	kinBytes = 40
)

// newKin returns a kin that takes about so many bytes at most.
func newKin(bytes int64) *kin {
	half := min(max(bytes/(2*kinBytes), leastHalf), kinHalf)
	return &kin{seen: make(map[uint64]pcommon.TraceID), seed: maphash.MakeSeed(), half: int(half)}
}

// bytes is what both halves keep alive.
func (k *kin) bytes() int64 { return k.size.Load() }

// sight notes that a trace tells of a call, and returns another one that did before.
func (k *kin) sight(callID string, id pcommon.TraceID) (other pcommon.TraceID, ok bool) {
	if !agentrun.Telling(callID) {
		return other, false
	}
	hash := maphash.String(k.seed, callID)
	k.mu.Lock()
	defer k.mu.Unlock()
	other, ok = k.seen[hash]
	if !ok {
		other, ok = k.older[hash]
	}
	if ok && other == id {
		return other, false
	}
	if len(k.seen) >= k.half {
		k.seen, k.older = make(map[uint64]pcommon.TraceID), k.seen
	}
	k.seen[hash] = id
	k.size.Store(int64(len(k.seen)+len(k.older)) * kinBytes)
	return other, ok
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

package processor

import (
	"hash/maphash"
	"sync"

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
}

// kinHalf is how many call ids each half remembers.
const kinHalf = 1 << 15

func newKin() *kin {
	return &kin{seen: make(map[uint64]pcommon.TraceID), seed: maphash.MakeSeed()}
}

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
	if len(k.seen) >= kinHalf {
		k.seen, k.older = make(map[uint64]pcommon.TraceID), k.seen
	}
	k.seen[hash] = id
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

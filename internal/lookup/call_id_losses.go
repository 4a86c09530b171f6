package lookup

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// callIDLosses has what an index lost. Where two hashes have the same place, more runs are not complete than need be.
type callIDLosses struct {
	// scopes has for each process the instrumentation that records call IDs, or severalScopes, or 0 if none does.
	scopes []uint32
	// ended has for each lost ID the second in which its span ended, by the clock of its sender, or 0.
	ended []uint32
}

// lossBytes is the size of what is known of losses, for each bucket: a process and four IDs.
const lossBytes = 20

const (
	knownScope    = 1 << scopeBits // distinguishes a scope from none
	severalScopes = knownScope << 1
)

// aheadSeconds is how far the clock of a process may be ahead of ours. Without a bound, a sender could make all later runs
// incomplete, by losing IDs of the future.
const aheadSeconds = 60

// slack is how long before a run its first call may be recorded: three minutes. A model requests the call, and then its tool
// runs, perhaps after a human has approved it.
const slack pcommon.Timestamp = 180e9

func newCallIDLosses(buckets int) callIDLosses {
	return callIDLosses{scopes: make([]uint32, buckets), ended: make([]uint32, 4*buckets)}
}

// scope is the place of a process.
func (l *callIDLosses) scope(from uint16) *uint32 { return &l.scopes[int(from)&(len(l.scopes)-1)] }

// of is the place of a call ID with its process. IDs of one bucket have different places.
func (l *callIDLosses) of(hash uint64) *uint32 {
	return &l.ended[int(hash>>bucketBits)&(len(l.ended)-1)]
}

// addScope adds an instrumentation of a process that records call IDs. An unknown one may be another than before.
func (l *callIDLosses) addScope(from uint16, scope uint32) {
	known := l.scope(from)
	scope |= knownScope
	switch {
	case *known == scope && scope != knownScope:
	case *known == 0:
		*known = scope
	default:
		*known = severalScopes
	}
}

// areOf reports whether all IDs of a full bucket are of one process. Then the process would have given up the oldest one in a
// table of its own too.
func (b *callIDBucket) areOf(from uint16) bool {
	return (b[0].from^from)|(b[1].from^from)|(b[2].from^from)|(b[3].from^from) == 0
}

// giveUp returns the place that a full bucket gives up for a new ID, and records that the ID there is lost to others.
func (k *CallIDIndex) giveUp(b *callIDBucket, s *seenCall) (at int) {
	at = b.surplus(s)
	ended := k.lost.of(b[at].hash())
	*ended = max(*ended, min(b[at].ended, k.second+aheadSeconds), 1)
	if !k.lossy.Load() {
		k.lossy.Store(true)
	}
	return at
}

// surplus is the place of an old ID. If there is none, it is that of the oldest ID of the process that has most of the
// bucket. The new ID counts too.
func (b *callIDBucket) surplus(s *seenCall) (at int) {
	if oldest := len(b) - 1; s.second-b[oldest].second > oldSeconds {
		return oldest
	}
	p, q, r, o, n := b[0].from, b[1].from, b[2].from, b[3].from, s.from
	pq, pr, po, pn := equal(p, q), equal(p, r), equal(p, o), equal(p, n)
	qr, qo, qn := equal(q, r), equal(q, o), equal(q, n)
	ro, rn, on := equal(r, o), equal(r, n), equal(o, n)
	// Each sum counts the others of a process, and then come two bits of its place: the oldest one wins if counts are equal.
	return max((pq+pr+po+pn)<<2, (pq+qr+qo+qn)<<2|1, (pr+qr+ro+rn)<<2|2, (po+qo+ro+on)<<2|3) & 3
}

// equal is 1 if two hashes are equal, or else 0. The compiler makes no branch of it, so the CPU has none to predict.
func equal(a, b uint16) (n int) {
	if a == b {
		n = 1
	}
	return n
}

// MayHaveLost reports whether the index may have lost the ID of one of a run's calls to other processes. Then another record
// of the run may not be found. That is so only if several instrumentations of the run's process record call IDs. Losses of
// spans that ended before the run began do not count. Both times are of the process' own clock.
func (k *CallIDIndex) MayHaveLost(run *agentrun.Run) bool {
	if !k.lossy.Load() || !k.hasSeveral(run.Process()) {
		return false
	}
	began := run.Span().Start
	for i := range run.Calls { // a joined run may have calls of before its anchor
		began = min(began, run.Calls[i].Start)
	}
	since := max(secondOf(began-min(slack, began)), 1)
	for calls := range slices.Chunk(run.Calls, maxHeld) {
		if k.lostSince(since, run.Process(), calls) {
			return true
		}
	}
	return false
}

// hasSeveral reports whether several instrumentations of a process record call IDs.
func (k *CallIDIndex) hasSeveral(p agentrun.Process) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return *k.lost.scope(k.from(p)) == severalScopes
}

// lostSince reports whether an ID of calls that a process recorded was lost, with a span that ended since then.
func (k *CallIDIndex) lostSince(since uint32, p agentrun.Process, calls []agentrun.Call) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(calls, func(c agentrun.Call) bool {
		return agentrun.IsUniqueCallID(c.CallID) && !c.Process.DiffersFrom(p) && *k.lost.of(k.hashOf(c.CallID, p)) >= since
	})
}

package lookup

import (
	"hash/maphash"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// CallIDIndex finds traces that record the same calls: it remembers in which traces a call ID was seen last. It keeps hashes,
// because a confusion costs no more than a short wait: whether runs are one is found out when they close.
//
// IDs whose hashes have the same low bits share a bucket, where the newest stand first. A full bucket gives up the oldest ID of
// the process that has most of it. So a process cannot push out many IDs of another. Many processes can, and then the loss is
// recorded: [CallIDIndex.MayHaveLost]. An ID that is older than a minute is given up first: another record of its run would
// have arrived. So a bucket loses few young IDs while only honest processes fill it.
//
// The table is made for the first ID, and never grows. A look at one of 200,000 IDs takes 24 ns (BenchmarkCallIDIndex), where two maps
// that forgot by halves took 138.
type CallIDIndex struct {
	seed  maphash.Seed
	salts [2]uint64 // likewise, for processes
	// most is how many buckets there are once there are any, a power of two. It never changes.
	most  int
	total atomic.Int64 // of all tables, in bytes
	lossy atomic.Bool  // an ID was lost to others

	mu      sync.Mutex // guards all below
	buckets []callIDBucket
	lost    callIDLosses
	second  uint32 // of our clock, in which the newest ID arrived
	fetched uint16 // has no meaning; see fetch
}

// callIDBucket has some IDs, each with a trace. An ID that was seen in several traces is there several times. A bucket fills
// two lines of the CPU's cache.
type callIDBucket [4]seenCall

// oldSeconds is after how many seconds an ID is given up before others.
const oldSeconds = 60

const (
	// maxBuckets have room for 65,536 call IDs in 2 MiB. Buckets fill unevenly: 98 of 100 IDs are remembered until 16,384
	// newer ones have come, and 86 until 32,768 have.
	maxBuckets   = 1 << bucketBits
	bucketBits   = 14
	leastBuckets = 1 << 3
	bucketBytes  = 128
)

// NewCallIDIndex returns an index whose buckets take at most that number of bytes, or as many as leastBuckets take. What
// is known of losses takes a sixth of it in addition.
func NewCallIDIndex(bytes int64) *CallIDIndex {
	most := min(max(1<<bits.Len64(uint64(bytes/bucketBytes))/2, leastBuckets), maxBuckets)
	seed := maphash.MakeSeed()
	return &CallIDIndex{seed: seed, salts: [2]uint64{maphash.String(seed, "process"), maphash.String(seed, "factor")}, most: most}
}

// Size is how many bytes the index keeps alive.
func (k *CallIDIndex) Size() int64 { return k.total.Load() }

// A seenCall says that an instrumentation recorded a call in a trace. key is a hash of the call's id and the process, with
// the instrumentation's scope in the upper bits. They are 0 if the scope is unknown, or if several instrumentations recorded the
// call in the trace.
type seenCall struct {
	key    uint64
	trace  pcommon.TraceID
	ended  uint32 // the second in which the span ended, by its sender's clock
	second uint16 // the low bits of the second in which the ID arrived
	from   uint16 // a hash of the process; 0 if there is no call
}

// A Sighting is a seenCall and the process that recorded it.
type Sighting struct {
	seenCall
	process agentrun.Process
}

// scopeBits are the bits of a key that distinguish scopes. Two scopes in 17 million are confused, and two IDs of a bucket in
// 67 million.
const scopeBits = 24

func (s *seenCall) hash() uint64  { return s.key & (1<<(64-scopeBits) - 1) }
func (s *seenCall) scope() uint64 { return s.key >> (64 - scopeBits) }

// A SharedCall has two traces in which a process recorded the same call.
type SharedCall struct {
	Traces  [2]pcommon.TraceID
	Process agentrun.Process
	Evicted pcommon.Timestamp // when a limit closed one of the traces, or 0
}

// InTurn returns the traces in the order in which each learns what the others know: the first one again at the end.
func (c *SharedCall) InTurn() [3]pcommon.TraceID {
	return [...]pcommon.TraceID{c.Traces[1], c.Traces[0], c.Traces[1]}
}

// AppendSighting appends that a span records a call, if only one call can have the id. by has the span's trace and its end.
func (k *CallIDIndex) AppendSighting(list []Sighting, callID agentrun.ScopedCallID, by *agentrun.Span) []Sighting {
	if !agentrun.IsUniqueCallID(callID.ID) {
		return list
	}
	key := k.hashOf(callID.ID, callID.Process) | uint64(callID.Scope)<<(64-scopeBits)
	return append(list, Sighting{seenCall{key: key, trace: by.Trace, ended: secondOf(by.End), from: k.from(callID.Process)}, callID.Process})
}

// hashOf is a hash of a call ID and its process.
func (k *CallIDIndex) hashOf(id string, p agentrun.Process) uint64 {
	return (maphash.String(k.seed, id) ^ uint64(p)*0x9E3779B97F4A7C15) & (1<<(64-scopeBits) - 1)
}

// from is a hash of a process that no sender can foresee. It is never 0.
func (k *CallIDIndex) from(p agentrun.Process) uint16 {
	high, low := bits.Mul64(uint64(p)^k.salts[0], k.salts[1]|1)
	return max(uint16((high^low)>>32), 1)
}

func secondOf(t pcommon.Timestamp) uint32 {
	return uint32(min(t/1e9, math.MaxUint32))
}

// Add adds sightings that arrive in a second of our clock. It returns those of calls that another instrumentation of the same
// process recorded before, in another trace. If one instrumentation records an ID twice, these are two calls.
func (k *CallIDIndex) Add(second uint32, list []Sighting) (found []SharedCall) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.buckets == nil {
		k.buckets, k.lost = make([]callIDBucket, k.most), newCallIDLosses(k.most)
		k.total.Store(int64(k.most) * (bucketBytes + lossBytes))
	}
	k.second = max(k.second, second) // callers may read the clock in one order, and get here in another
	k.fetch(list)
	for _, s := range list {
		s.second = uint16(k.second)
		k.lost.addScope(s.from, uint32(s.scope()))
		found = k.add(k.bucket(s.hash()), s, found)
	}
	return found
}

// fetch reads the buckets of all sightings, because the table is too large to stay in the CPU's cache. These reads do not depend
// on each other, so the CPU waits for many of them at once.
func (k *CallIDIndex) fetch(list []Sighting) {
	for i := range list {
		b := k.bucket(list[i].hash())
		k.fetched += b[0].from + b[len(b)-1].from
	}
}

func (k *CallIDIndex) bucket(hash uint64) *callIDBucket { return &k.buckets[hash&uint64(k.most-1)] }

// add puts a sighting in front, and appends the other traces in which another instrumentation recorded the call before. If
// the sighting before was of the same trace, these were found then.
func (k *CallIDIndex) add(b *callIDBucket, s Sighting, found []SharedCall) []SharedCall {
	at, first, again := len(b), len(b), false
	for i := range b {
		if b[i].from == 0 {
			at = i // all behind it are empty too
			break
		}
		if b[i].hash() != s.hash() {
			continue
		}
		first = min(first, i)
		if b[i].trace == s.trace {
			at, again = i, i == first && (b[i].scope() == s.scope() || b[i].scope() == 0)
			if b[i].scope() != s.scope() {
				s.key = s.hash() // of several instrumentations
			}
			break
		}
	}
	for i := first; i < len(b) && !again; i++ {
		if o := &b[i]; o.hash() == s.hash() && o.trace != s.trace && o.from != 0 && (o.scope() != s.scope() || s.scope() == 0) {
			found = append(found, SharedCall{Traces: [2]pcommon.TraceID{s.trace, o.trace}, Process: s.process})
		}
	}
	if at == len(b) {
		at = len(b) - 1
		if !b.areOf(s.from) {
			at = k.giveUp(b, &s.seenCall)
		}
	}
	copy(b[1:at+1], b[:at])
	b[0] = s.seenCall
	return found
}

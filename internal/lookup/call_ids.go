package lookup

import (
	"hash/maphash"
	"math/bits"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// CallIDIndex finds traces that record the same calls: it remembers in which traces a call ID was seen last. It keeps hashes,
// because a confusion costs no more than a short wait: whether runs are one is found out when they close.
//
// Ids whose hashes have the same low bits share a bucket, where the newest stand first and the oldest falls out. The
// table is made for the first id, and never grows. A look at one of 200,000 ids takes 24 ns (BenchmarkCallIDIndex), where two maps
// that forgot by halves took 138.
type CallIDIndex struct {
	seed maphash.Seed
	// most is how many buckets there are once there are any, a power of two. It never changes.
	most  int
	total atomic.Int64 // of the buckets, in bytes

	mu      sync.Mutex // guards buckets
	buckets []callIDBucket
}

// callIDBucket has some IDs, each with a trace. An ID that was seen in several traces is there several times.
type callIDBucket [4]seenCall

const (
	// maxBuckets have room for 65,536 call IDs in 1.5 MiB. Buckets fill unevenly: 98 of 100 IDs are remembered until 16,384
	// newer ones have come, and 86 until 32,768 have.
	maxBuckets   = 1 << 14
	leastBuckets = 1 << 3
	bucketBytes  = 96
)

// NewCallIDIndex returns an index that takes at most that number of bytes, or as many as leastBuckets take.
func NewCallIDIndex(bytes int64) *CallIDIndex {
	most := min(max(1<<bits.Len64(uint64(bytes/bucketBytes))/2, leastBuckets), maxBuckets)
	return &CallIDIndex{seed: maphash.MakeSeed(), most: most}
}

// Size is how many bytes the table keeps alive.
func (k *CallIDIndex) Size() int64 { return k.total.Load() }

// A seenCall says that an instrumentation recorded a call in a trace. key is a hash of the call's id and the process, with
// the instrumentation's scope in the upper bits. They are 0 if the scope is unknown, or if several instrumentations recorded the
// call in the trace.
type seenCall struct {
	key   uint64
	trace pcommon.TraceID
}

// A Sighting is a seenCall and the process that recorded it.
type Sighting struct {
	seenCall
	process agentrun.Process
}

// scopeBits are the bits of a key that distinguish scopes. Two scopes in 17 million are confused, and two IDs of a bucket in
// 67 million.
const scopeBits = 24

func (s seenCall) hash() uint64  { return s.key & (1<<(64-scopeBits) - 1) }
func (s seenCall) scope() uint64 { return s.key >> (64 - scopeBits) }

// A SharedCall has two traces in which a process recorded the same call.
type SharedCall struct {
	Traces  [2]pcommon.TraceID
	Process agentrun.Process
}

// AppendSighting appends that a trace records a call, if only one call can have the id.
func (k *CallIDIndex) AppendSighting(list []Sighting, callID agentrun.ScopedCallID, id pcommon.TraceID) []Sighting {
	if !agentrun.IsUniqueCallID(callID.ID) {
		return list
	}
	key := maphash.String(k.seed, callID.ID) ^ uint64(callID.Process)*0x9E3779B97F4A7C15
	key &= 1<<(64-scopeBits) - 1
	return append(list, Sighting{seenCall{key | uint64(callID.Scope)<<(64-scopeBits), id}, callID.Process})
}

// Add adds sightings, and returns those of calls that another instrumentation of the same process recorded before, in
// another trace. If one instrumentation records an ID twice, these are two calls.
//
// The table is too large to stay in the CPU's cache. So the buckets of many sightings are fetched together, and the CPU does
// not wait for each.
func (k *CallIDIndex) Add(list []Sighting) (found []SharedCall) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.buckets == nil {
		k.buckets = make([]callIDBucket, k.most)
		k.total.Store(int64(k.most) * bucketBytes)
	}
	for _, s := range list {
		found = k.bucket(s.hash()).add(s, found)
	}
	return found
}

func (k *CallIDIndex) bucket(hash uint64) *callIDBucket { return &k.buckets[hash&uint64(k.most-1)] }

// add puts a sighting in front, and appends the other traces in which another instrumentation recorded the call before. If
// the sighting before was of the same trace, these were found then.
func (b *callIDBucket) add(s Sighting, found []SharedCall) []SharedCall {
	at, first, again := len(b)-1, len(b), false
	for i := range b {
		if b[i].trace.IsEmpty() {
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
		if o := &b[i]; o.hash() == s.hash() && o.trace != s.trace && !o.trace.IsEmpty() && (o.scope() != s.scope() || s.scope() == 0) {
			found = append(found, SharedCall{[2]pcommon.TraceID{s.trace, o.trace}, s.process})
		}
	}
	copy(b[1:at+1], b[:at])
	b[0] = s.seenCall
	return found
}

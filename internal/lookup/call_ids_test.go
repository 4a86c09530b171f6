package lookup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// seeOne adds that a trace records a call, and returns another one that did before. Each trace has an instrumentation
// of its own, and all are of one process.
func seeOne(k *CallIDIndex, callID string, id pcommon.TraceID) (other pcommon.TraceID, ok bool) {
	found := k.Add(0, k.AppendSighting(nil, sentBy(id[0], callID), in(id)))
	if len(found) == 0 {
		return other, false
	}
	return found[0].Traces[1], true
}

// in is a span of a trace.
func in(id pcommon.TraceID) *agentrun.Span { return &agentrun.Span{Trace: id} }

// sentBy is a call id of the instrumentation with that number.
func sentBy(scope byte, callID string) agentrun.ScopedCallID {
	return agentrun.ScopedCallID{ID: callID, Process: 1, Scope: agentrun.Scope(scope)}
}

func TestCallIDIndex(t *testing.T) {
	a, b := pcommon.TraceID{1}, pcommon.TraceID{2}
	k := NewCallIDIndex(1 << 20)
	assert.Zero(t, k.Size(), "nothing is made before the first call id")

	_, ok := seeOne(k, "call_0123456789abcdef", a)
	assert.False(t, ok, "no trace had it before")
	_, ok = seeOne(k, "call_0123456789abcdef", a)
	assert.False(t, ok, "the same trace is no other one")
	other, ok := seeOne(k, "call_0123456789abcdef", b)
	assert.True(t, ok)
	assert.Equal(t, a, other)
	other, ok = seeOne(k, "call_0123456789abcdef", a)
	assert.True(t, ok, "the last one counts")
	assert.Equal(t, b, other)
	_, ok = seeOne(k, "1", a)
	assert.False(t, ok)
	_, ok = seeOne(k, "1", b)
	assert.False(t, ok, "an id that counts up means another call in every trace")
}

// Only another instrumentation of the same process shares a call that was recorded before.
func TestWhoTellsOfTheSameCall(t *testing.T) {
	const callID = "call_0123456789abcdef"
	a, b := pcommon.TraceID{1}, pcommon.TraceID{2}
	for _, tc := range []struct {
		name          string
		first, second agentrun.ScopedCallID
		joint         bool
		reason        string
	}{
		{"two instrumentations of a process",
			agentrun.ScopedCallID{ID: callID, Process: 1, Scope: 1}, agentrun.ScopedCallID{ID: callID, Process: 1, Scope: 2},
			true, "both saw the model's answer"},
		{"one instrumentation twice",
			agentrun.ScopedCallID{ID: callID, Process: 1, Scope: 1}, agentrun.ScopedCallID{ID: callID, Process: 1, Scope: 1},
			false, "the ids come from a cache or a mock of the model"},
		{"two processes",
			agentrun.ScopedCallID{ID: callID, Process: 1, Scope: 1}, agentrun.ScopedCallID{ID: callID, Process: 2, Scope: 2},
			false, "who knows an id has no part in the run"},
		{"records of an earlier version",
			agentrun.ScopedCallID{ID: callID}, agentrun.ScopedCallID{ID: callID},
			true, "their scope is unknown, so they may be two"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := NewCallIDIndex(1 << 20)
			found := k.Add(0, k.AppendSighting(nil, tc.first, in(a)))
			assert.Empty(t, found)
			found = k.Add(0, k.AppendSighting(nil, tc.second, in(b)))
			assert.Equal(t, tc.joint, len(found) > 0, tc.reason)
		})
	}
}

// Which traces share a call does not depend on the order in which they come.
func TestTracesShareACallInAnyOrder(t *testing.T) {
	const callID = "call_0123456789abcdef"
	a, b, c := pcommon.TraceID{1}, pcommon.TraceID{2}, pcommon.TraceID{3}
	for _, tc := range []struct {
		name   string
		seen   []seenBy
		shared []pcommon.TraceID
		reason string
	}{
		{"one instrumentation, three traces", []seenBy{{a, 1}, {b, 1}, {c, 1}}, nil, "the IDs come from a cache"},
		{"another one in the third trace", []seenBy{{a, 1}, {b, 1}, {c, 2}}, []pcommon.TraceID{a, b, c}, "each may be a duplicate of the third"},
		{"another one in one of the traces", []seenBy{{a, 1}, {b, 1}, {b, 2}}, []pcommon.TraceID{a, b}, "the second instrumentation may have recorded both"},
		{"both in both traces", []seenBy{{a, 1}, {a, 2}, {b, 1}, {b, 2}}, []pcommon.TraceID{a, b}, "the same"},
		{"both in one trace", []seenBy{{a, 1}, {a, 2}, {a, 1}}, nil, "no other trace has the call"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, order := range permutations(tc.seen) {
				k, shared := NewCallIDIndex(1<<20), map[pcommon.TraceID]bool{}
				for _, s := range order {
					for _, two := range k.Add(0, k.AppendSighting(nil, sentBy(s.scope, callID), in(s.trace))) {
						shared[two.Traces[0]], shared[two.Traces[1]] = true, true
					}
				}
				assert.ElementsMatch(t, tc.shared, slices.Collect(maps.Keys(shared)), "%s: %v", tc.reason, order)
			}
		})
	}
}

type seenBy struct {
	trace pcommon.TraceID
	scope byte
}

// permutations are all orders of a list.
func permutations(list []seenBy) (all [][]seenBy) {
	if len(list) == 0 {
		return [][]seenBy{nil}
	}
	for i := range list {
		for _, rest := range permutations(slices.Concat(list[:i], list[i+1:])) {
			all = append(all, append([]seenBy{list[i]}, rest...))
		}
	}
	return all
}

// Calls of one batch are shared as if they had arrived in several batches.
func TestCallIDsOfABatch(t *testing.T) {
	a, b, c := pcommon.TraceID{1}, pcommon.TraceID{2}, pcommon.TraceID{3}
	k := NewCallIDIndex(1 << 20)
	var list []Sighting
	for _, seen := range []struct {
		callID string
		trace  pcommon.TraceID
	}{
		{"call_0123456789abcdef", a},
		{"call_0123456789abcdef", a}, // the response that requests it, and its span
		{"call_0123456789abcdee", c},
		{"1", b},
		{"call_0123456789abcdef", b},
		{"call_0123456789abcdef", b},
		{"call_0123456789abcdef", a},
	} {
		list = k.AppendSighting(list, sentBy(seen.trace[0], seen.callID), in(seen.trace))
	}
	found := k.Add(0, list)
	assert.Equal(t, []SharedCall{{Traces: [2]pcommon.TraceID{b, a}, Process: 1}, {Traces: [2]pcommon.TraceID{a, b}, Process: 1}}, found)
}

// A bucket drops its oldest id. The table keeps at most as many ids as it has room for.
func TestCallIDIndexForgetsTheOldest(t *testing.T) {
	a, b := pcommon.TraceID{1}, pcommon.TraceID{2}
	k := NewCallIDIndex(0)
	ways := len(callIDBucket{})
	var one []string // ids of one bucket, the oldest first
	for i := 0; len(one) < 2*ways; i++ {
		id := "call_0123456789abcdef" + strconv.Itoa(i)
		if k.AppendSighting(nil, sentBy(a[0], id), in(a))[0].hash()&uint64(k.most-1) == 0 {
			one = append(one, id)
			seeOne(k, id, a)
		}
	}
	for i, id := range one {
		known := CallIDIndex{seed: k.seed, most: k.most, buckets: slices.Clone(k.buckets), lost: newCallIDLosses(k.most)}
		_, ok := seeOne(&known, id, b)
		assert.Equal(t, i >= ways, ok, "id %d of %d", i, len(one))
	}
	seeOne(k, one[ways], a) // which was the oldest of them, and is the newest now
	seeOne(k, one[0], a)
	_, ok := seeOne(k, one[ways], b)
	assert.True(t, ok)
	assert.EqualValues(t, leastBuckets*(bucketBytes+lossBytes), k.Size())
	assert.Len(t, k.buckets, leastBuckets)
}

// A full bucket gives up an ID of the process that has most of it.
func TestABucketKeepsTheIDsOfOthers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		bucket []agentrun.Process // of the IDs that arrive, the first one of the victim
		pause  uint32             // seconds between two
		known  bool
		reason string
	}{
		{"another process sends many", []agentrun.Process{1, 2, 2, 2, 2, 2, 2}, 0, true, "it has most"},
		{"another process sends many into a full bucket", []agentrun.Process{3, 1, 4, 5, 2, 2, 2, 2}, 0, true, "its first ID takes the oldest one's place"},
		{"many processes", []agentrun.Process{1, 2, 3, 4, 5}, 0, false, "each has one, and the victim's is the oldest"},
		{"another process sends many, minutes later", []agentrun.Process{1, 2, 2, 2, 2}, 200, false, "the ID is older than a minute"},
		{"the victim alone", []agentrun.Process{1, 1, 1, 1, 1}, 0, false, "its own ones are newer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sights := make([]sight, 5)
			for i := range sights {
				sights[i].process = agentrun.Process(1 + i)
			}
			k := indexOfDistinct(sights)
			now := uint32(1000)
			send := func(id string, p agentrun.Process, scope, trace byte) []SharedCall {
				now += tc.pause
				return k.Add(now, k.AppendSighting(nil, agentrun.ScopedCallID{ID: id, Process: p, Scope: agentrun.Scope(scope)}, in(pcommon.TraceID{trace})))
			}
			var first string
			for i, p := range tc.bucket {
				id := idOf(k, p, 0, i)
				if p == 1 && first == "" {
					first = id
				}
				send(id, p, 1, byte(1+i))
			}
			require.Equal(t, tc.known, len(send(first, 1, 2, 99)) > 0, tc.reason)
		})
	}
}

// A span without a trace ID takes one place, and hides no other.
func TestASpanWithoutATraceHidesNoCallIDs(t *testing.T) {
	k := NewCallIDIndex(0)
	id := idOf(k, 1, 0, 1)
	seeOne(k, id, pcommon.TraceID{1})
	stranger := agentrun.ScopedCallID{ID: idOf(k, 2, 0, 2), Process: 2, Scope: 1}
	k.Add(0, k.AppendSighting(nil, stranger, in(pcommon.TraceID{})))
	_, ok := seeOne(k, id, pcommon.TraceID{2})
	require.True(t, ok)
}

// BenchmarkCallIDIndex looks up 200,000 ids, more than the index has room for, in batches as large as those of agents' spans.
func BenchmarkCallIDIndex(b *testing.B) {
	const batch = 256
	ids := make([]string, 200_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("call_%024x", i*7919)
	}
	k := NewCallIDIndex(maxBuckets * bucketBytes)
	var list []Sighting
	by := new(agentrun.Span)
	for i := 0; b.Loop(); i++ {
		by.Trace = pcommon.TraceID{byte(i), byte(i >> 8), 1}
		if list = k.AppendSighting(list, sentBy(1, ids[i%len(ids)]), by); len(list) == batch {
			k.Add(0, list)
			list = list[:0]
		}
	}
}

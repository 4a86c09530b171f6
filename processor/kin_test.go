package processor

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// sightOne notes that a trace tells of a call, and returns another one that did before.
func sightOne(k *kin, callID string, id pcommon.TraceID) (other pcommon.TraceID, ok bool) {
	found := k.sight(k.add(nil, callID, id))
	if len(found) == 0 {
		return other, false
	}
	return found[0][1], true
}

func TestKin(t *testing.T) {
	a, b := pcommon.TraceID{1}, pcommon.TraceID{2}
	k := newKin(1 << 20)
	assert.Zero(t, k.bytes(), "nothing is made before the first call id")

	_, ok := sightOne(k, "call_0123456789abcdef", a)
	assert.False(t, ok, "nobody told of it before")
	_, ok = sightOne(k, "call_0123456789abcdef", a)
	assert.False(t, ok, "the same trace is no other one")
	other, ok := sightOne(k, "call_0123456789abcdef", b)
	assert.True(t, ok)
	assert.Equal(t, a, other)
	other, ok = sightOne(k, "call_0123456789abcdef", a)
	assert.True(t, ok, "the last one counts")
	assert.Equal(t, b, other)
	_, ok = sightOne(k, "1", a)
	assert.False(t, ok)
	_, ok = sightOne(k, "1", b)
	assert.False(t, ok, "an id that counts up means another call in every trace")
}

// What traces of one batch tell of is related as if it had come in several.
func TestKinOfABatch(t *testing.T) {
	a, b, c := pcommon.TraceID{1}, pcommon.TraceID{2}, pcommon.TraceID{3}
	k := newKin(1 << 20)
	var list []sighting
	for _, told := range []struct {
		callID string
		trace  pcommon.TraceID
	}{
		{"call_0123456789abcdef", a},
		{"call_0123456789abcdef", a}, // the answer that asks for it, and its span
		{"call_0123456789abcdee", c},
		{"1", b},
		{"call_0123456789abcdef", b},
		{"call_0123456789abcdef", b},
		{"call_0123456789abcdef", a},
	} {
		list = k.add(list, told.callID, told.trace)
	}
	assert.Equal(t, []joint{{b, a}, {a, b}}, k.sight(list))
}

// A bucket forgets its oldest id. The table keeps no more ids than it has room for.
func TestKinForgetsTheOldest(t *testing.T) {
	a, b := pcommon.TraceID{1}, pcommon.TraceID{2}
	k := newKin(0)
	ways := len(kinBucket{})
	var one []string // ids of one bucket, the oldest first
	for i := 0; len(one) < 2*ways; i++ {
		id := "call_0123456789abcdef" + strconv.Itoa(i)
		if maphash.String(k.seed, id)&uint64(k.most-1) == 0 {
			one = append(one, id)
			sightOne(k, id, a)
		}
	}
	for i, id := range one {
		known := kin{seed: k.seed, most: k.most, buckets: slices.Clone(k.buckets)}
		_, ok := sightOne(&known, id, b)
		assert.Equal(t, i >= ways, ok, "id %d of %d", i, len(one))
	}
	sightOne(k, one[ways], a) // which was the oldest of them, and is the newest now
	sightOne(k, one[0], a)
	_, ok := sightOne(k, one[ways], b)
	assert.True(t, ok)
	assert.EqualValues(t, leastBuckets*kinBucketBytes, k.bytes())
	assert.Len(t, k.buckets, leastBuckets)
}

// BenchmarkKin looks 200,000 ids up, more than there is room for, as many at a time as a batch of agents' spans has.
func BenchmarkKin(b *testing.B) {
	const batch = 256
	ids := make([]string, 200_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("call_%024x", i*7919)
	}
	k := newKin(kinBuckets * kinBucketBytes)
	var list []sighting
	for i := 0; b.Loop(); i++ {
		if list = k.add(list, ids[i%len(ids)], pcommon.TraceID{byte(i), byte(i >> 8), 1}); len(list) == batch {
			k.sight(list)
			list = list[:0]
		}
	}
}

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

func TestKin(t *testing.T) {
	a, b := pcommon.TraceID{1}, pcommon.TraceID{2}
	k := newKin(1 << 20)
	assert.Zero(t, k.bytes(), "nothing is made before the first call id")

	_, ok := k.sight("call_0123456789abcdef", a)
	assert.False(t, ok, "nobody told of it before")
	_, ok = k.sight("call_0123456789abcdef", a)
	assert.False(t, ok, "the same trace is no other one")
	other, ok := k.sight("call_0123456789abcdef", b)
	assert.True(t, ok)
	assert.Equal(t, a, other)
	other, ok = k.sight("call_0123456789abcdef", a)
	assert.True(t, ok, "the last one counts")
	assert.Equal(t, b, other)
	_, ok = k.sight("1", a)
	assert.False(t, ok)
	_, ok = k.sight("1", b)
	assert.False(t, ok, "an id that counts up means another call in every trace")
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
			k.sight(id, a)
		}
	}
	for i, id := range one {
		known := kin{seed: k.seed, most: k.most, buckets: slices.Clone(k.buckets)}
		_, ok := known.sight(id, b)
		assert.Equal(t, i >= ways, ok, "id %d of %d", i, len(one))
	}
	k.sight(one[ways], a) // which was the oldest of them, and is the newest now
	k.sight(one[0], a)
	_, ok := k.sight(one[ways], b)
	assert.True(t, ok)
	assert.EqualValues(t, leastBuckets*kinBucketBytes, k.bytes())
	assert.Len(t, k.buckets, leastBuckets)
}

// BenchmarkKin looks 200,000 ids up in turn, more than there is room for.
func BenchmarkKin(b *testing.B) {
	ids := make([]string, 200_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("call_%024x", i*7919)
	}
	k := newKin(kinBuckets * kinBucketBytes)
	for i := 0; b.Loop(); i++ {
		k.sight(ids[i%len(ids)], pcommon.TraceID{byte(i), byte(i >> 8), 1})
	}
}

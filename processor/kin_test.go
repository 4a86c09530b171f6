package processor

import (
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

// As many ids as there is room for in one bucket are found again, and no more are ever kept.
func TestKinForgetsTheOldest(t *testing.T) {
	a, b := pcommon.TraceID{1}, pcommon.TraceID{2}
	k := newKin(0)
	room := leastBuckets * len(kinBucket{})
	id := func(i int) string { return "call_0123456789abcdef" + strconv.Itoa(i) }
	for i := range 100 * room {
		k.sight(id(i), a)
		other, ok := k.sight(id(i), b)
		assert.True(t, ok, "the newest is always remembered")
		assert.Equal(t, a, other)
	}
	known := 0
	for i := range 100 * room {
		before := kin{seed: k.seed, most: k.most, buckets: slices.Clone(k.buckets)}
		if _, ok := before.sight(id(i), a); ok {
			known++
		}
	}
	assert.Equal(t, room, known)
	assert.EqualValues(t, leastBuckets*kinBucketBytes, k.bytes())
}

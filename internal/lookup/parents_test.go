package lookup

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

func spanNumber(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func traceNumber(n byte) evidence.Key { return evidence.Key{Trace: pcommon.TraceID{15: n}} }

func linksOf(l *ParentCache, trace byte) map[pcommon.SpanID]pcommon.SpanID {
	all := map[pcommon.SpanID]pcommon.SpanID{}
	for _, link := range l.AppendTo(nil, KeyOf(traceNumber(trace))) {
		all[link.ID] = link.Parent
	}
	return all
}

// A trace finds all of its own links, and no others.
func TestParentsOfATrace(t *testing.T) {
	var l ParentCache
	require.Empty(t, linksOf(&l, 1), "nothing has come")
	for batch := range 3 {
		var b ParentBatch
		for i := range 10 {
			b.Add(traceNumber(byte(i%2)), evidence.Link{ID: spanNumber(100*batch + i), Parent: spanNumber(1)})
		}
		l.Add(&b)
	}
	got := linksOf(&l, 1)
	require.Len(t, got, 15)
	for batch := range 3 {
		for i := 1; i < 10; i += 2 {
			require.Equal(t, spanNumber(1), got[spanNumber(100*batch+i)])
		}
	}
}

// The oldest links are dropped, by the number of links and of groups, also where the ring wraps around.
func TestParentCacheIsARing(t *testing.T) {
	for _, alternate := range []bool{true, false} {
		var l ParentCache
		const rounds = 3 * maxSlots / 1000
		for batch := range rounds {
			var b ParentBatch
			for i := range 1000 {
				trace := byte(0)
				if alternate && i%2 == 0 || !alternate && i == 999 {
					trace = 1
				}
				b.Add(traceNumber(trace), evidence.Link{ID: spanNumber(1000*batch + i), Parent: spanNumber(batch)})
			}
			l.Add(&b)
		}
		for _, trace := range []byte{0, 1} {
			got := linksOf(&l, trace)
			require.NotEmpty(t, got)
			require.LessOrEqual(t, len(got), longestTrace+1000)
			for span, parent := range got {
				n := int(binary.BigEndian.Uint64(span[:]))
				require.Equal(t, spanNumber(n/1000), parent)
				require.GreaterOrEqual(t, 1000*rounds-n, 0)
			}
		}
	}
}

func TestSlotsWithin(t *testing.T) {
	for bytes, slots := range map[int64]int{0: leastPlaces, slotBytes << 10: 1 << 10, slotBytes<<10 - 1: 1 << 9, 1 << 40: maxSlots} {
		var l ParentCache
		l.Limit(bytes)
		require.Equal(t, slots, l.most, bytes)
	}
}

// A sender cannot make every new trace walk over many entries by trace ids with one place in the ring.
func TestAWalkOverParentsIsBounded(t *testing.T) {
	const head = TraceKey(1 << 40) // the low bits, which choose the place, are those of every multiple
	var l ParentCache
	for batch := range 2 * maxSlots / 1000 {
		var b ParentBatch
		for i := range 1000 {
			b.Links = append(b.Links, evidence.Link{ID: spanNumber(1000*batch + i), Parent: spanNumber(batch)})
			b.Traces = append(b.Traces, TraceLinks{Hash: head * TraceKey(1+i%2), N: 1})
		}
		l.Add(&b)
	}
	for _, tc := range []struct {
		name   string
		key    TraceKey
		links  int
		reason string
	}{
		{"a trace that has none there", head * 3, 0, "it looks at so many groups of others and gives up"},
		{"a trace of many groups", head, maxGroups / 2, "every second group is another's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Len(t, l.AppendTo(nil, tc.key), tc.links, tc.reason)
		})
	}
}

// A trace keeps the links of a group that has lost others.
func TestLinksThatAreLost(t *testing.T) {
	for _, tc := range []struct {
		name          string
		newer         int // links of the third trace
		older, second int // links that are left of the first two, which had four each
	}{
		{"nothing is lost", 8, 4, 4},
		{"a part of the first group", leastPlaces - 6, 2, 4},
		{"the first group", leastPlaces - 4, 0, 4},
		{"a part of the second", leastPlaces - 1, 0, 1},
		{"both", leastPlaces, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := ParentCache{most: leastPlaces}
			keys := [...]TraceKey{1 << 40, 2 << 40, 3} // the first two have one hash
			for i, n := range [...]int{4, 4, tc.newer} {
				l.Add(&ParentBatch{Traces: []TraceLinks{{Hash: keys[i], N: n}}, Links: make([]evidence.Link, n)})
			}
			for i, left := range [...]int{tc.older, tc.second} {
				require.Len(t, l.AppendTo(nil, keys[i]), left, "links of trace %d", i)
			}
		})
	}
}

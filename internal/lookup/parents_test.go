package lookup

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

func spanNumber(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func traceNumber(n byte) (id pcommon.TraceID) {
	id[15] = n
	return id
}

func linksOf(l *ParentCache, trace byte) map[pcommon.SpanID]pcommon.SpanID {
	all := map[pcommon.SpanID]pcommon.SpanID{}
	l.Each(KeyOf(traceNumber(trace)), func(span, parent pcommon.SpanID, _ agentrun.Process) { all[span] = parent })
	return all
}

// A trace finds all of its own links, and no others.
func TestParentsOfATrace(t *testing.T) {
	var l ParentCache
	require.Empty(t, linksOf(&l, 1), "nothing has come")
	for batch := range 3 {
		var b ParentBatch
		for i := range 10 {
			b.Add(traceNumber(byte(i%2)), ParentLink{spanNumber(100*batch + i), spanNumber(1)})
		}
		l.Add(0, &b)
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
				b.Add(traceNumber(trace), ParentLink{spanNumber(1000*batch + i), spanNumber(batch)})
			}
			l.Add(0, &b)
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

// The ring begins small and grows until it is as large as it may be. Nothing is lost as long as it grows.
func TestParentCacheGrows(t *testing.T) {
	l := ParentCache{most: 1 << 12}
	require.Zero(t, l.Size(), "nothing has come")
	for i := range 3 << 12 {
		var b ParentBatch
		for s := range 2 {
			b.Add(traceNumber(byte(i%100)), ParentLink{spanNumber(2*i + s), spanNumber(i)})
		}
		l.Add(0, &b)
		oldest := max(0, i-1<<11+1)
		if i%1000 > 0 {
			continue
		}
		for trace := range min(100, i+1) {
			for span, parent := range linksOf(&l, byte(trace)) {
				require.Equal(t, int(binary.BigEndian.Uint64(span[:]))/2, int(binary.BigEndian.Uint64(parent[:])))
				require.GreaterOrEqual(t, int(binary.BigEndian.Uint64(parent[:])), oldest)
			}
		}
		last := linksOf(&l, byte(oldest%100))
		require.Contains(t, last, spanNumber(2*oldest), "the oldest that there is room for")
	}
	require.Equal(t, int64(slotBytes)<<12, l.Size())
	require.Len(t, l.slots, 1<<12)
}

func TestSlotsWithin(t *testing.T) {
	for bytes, slots := range map[int64]int{0: leastSlots, 38 << 10: 1 << 10, 38<<10 - 1: 1 << 9, 1 << 40: maxSlots} {
		require.Equal(t, slots, slotsWithin(bytes), bytes)
	}
}

// A sender cannot make every new trace walk over many entries by trace ids with one place in the ring.
func TestAWalkOverParentsIsBounded(t *testing.T) {
	const head = TraceKey(1 << 40) // the low bits, which choose the place, are those of every multiple
	var l ParentCache
	for batch := range 2 * maxSlots / 1000 {
		var b ParentBatch
		for i := range 1000 {
			b.Links = append(b.Links, ParentLink{spanNumber(1000*batch + i), spanNumber(batch)})
			b.Traces = append(b.Traces, TraceLinks{Key: head * TraceKey(1+i%2), N: 1})
		}
		l.Add(0, &b)
	}
	var long ParentBatch
	for i := range 3 * longestTrace {
		long.Links = append(long.Links, ParentLink{spanNumber(i), spanNumber(1)})
	}
	long.Traces = []TraceLinks{{Key: head * 9, N: len(long.Links)}}
	l.Add(0, &long)
	for _, tc := range []struct {
		name   string
		key    TraceKey
		links  int
		looked int
		reason string
	}{
		{"a trace that has none there", head * 3, 0, maxGroups, "it looks at so many groups of others and gives up"},
		{"a trace of many groups", head, maxGroups/2 - 1, maxGroups + maxGroups/2, "every second group is another's"},
		{"a trace of one long group", head * 9, longestTrace, longestTrace, "no real trace is as long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := map[pcommon.SpanID]bool{}
			looked, missing := l.Each(tc.key, func(span, _ pcommon.SpanID, _ agentrun.Process) { found[span] = true })
			require.LessOrEqual(t, looked, tc.looked, tc.reason)
			require.Equal(t, pcommon.Timestamp(math.MaxUint64), missing, "it stopped at a bound")
			require.GreaterOrEqual(t, len(found), tc.links, tc.reason)
		})
	}
}

// While a walk has released the ring, entries ahead of it may be dropped. The walk then ends.
func TestAWalkThatIsOvertakenEnds(t *testing.T) {
	l := ParentCache{most: leastSlots}
	for i := range 64 {
		l.Add(0, &ParentBatch{Links: []ParentLink{{spanNumber(i), spanNumber(1)}}, Traces: []TraceLinks{{Key: 7, N: 1}}})
	}
	var found [maxHeld]foundLink
	w := walk{key: 7, links: longestTrace, groups: maxGroups}
	n, more := l.take(&w, &found)
	require.LessOrEqual(t, n, leastSlots)
	require.False(t, more)
	w = walk{key: 7, links: longestTrace, groups: maxGroups, begun: true, at: 1, left: 1}
	n, more = l.take(&w, &found)
	require.Zero(t, n, "the group has gone")
	require.False(t, more)
}

// A walk does not visit groups that are older than one that lost links. That group keeps its other links.
func TestAWalkEndsWhereLinksAreLost(t *testing.T) {
	for _, tc := range []struct {
		name          string
		newer         int // links of the third trace
		older, second int // links that are left of the first two, which had four each
		looked        int // links and groups that the walk for the second examines
	}{
		{"nothing is lost", 8, 4, 4, 4 + 2},
		{"a part of the first group", leastSlots - 6, 2, 4, 4 + 2},
		{"the first group", leastSlots - 4, 0, 4, 4 + 2},
		{"a part of the second", leastSlots - 1, 0, 1, 1 + 1},
		{"both", leastSlots, 0, 0, 0 + 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := ParentCache{most: leastSlots}
			keys := [...]TraceKey{1 << 40, 2 << 40, 3} // the first two have one hash
			for i, n := range [...]int{4, 4, tc.newer} {
				l.Add(1, &ParentBatch{Traces: []TraceLinks{{Key: keys[i], N: n}}, Links: make([]ParentLink, n)})
			}
			for i, left := range [...]int{tc.older, tc.second} {
				links := 0
				looked, _ := l.Each(keys[i], func(pcommon.SpanID, pcommon.SpanID, agentrun.Process) { links++ })
				require.Equal(t, left, links, "links of trace %d", i)
				if i == 1 {
					require.Equal(t, tc.looked, looked)
				}
			}
		})
	}
}

// The cache knows until when links came that it has forgotten.
func TestLostLinks(t *testing.T) {
	batch := func(links, traces int) *ParentBatch {
		b := &ParentBatch{}
		for i := range links {
			b.Add(traceNumber(byte(i%traces)), ParentLink{spanNumber(i), spanNumber(1)})
		}
		return b
	}
	const room, groups = leastSlots, leastSlots / 2
	for _, tc := range []struct {
		name    string
		batches []*ParentBatch // one in each second, from the first
		lost    pcommon.Timestamp
		reason  string
	}{
		{"nothing", nil, 0, "nothing came"},
		{"a full ring", []*ParentBatch{batch(room, 1)}, 0, "each link has its place"},
		{"one link more", []*ParentBatch{batch(room-1, 1), batch(2, 1)}, 2e9, "a link of the first second fell out"},
		{"two batches more", []*ParentBatch{batch(4, 1), batch(4, 1), batch(room, 1)}, 3e9, "all of the first two fell out"},
		{"a part of a batch", []*ParentBatch{batch(4, 1), batch(room-4, 1), batch(6, 1)}, 3e9, "two links of the second batch fell out"},
		{"many traces", []*ParentBatch{batch(groups, groups), batch(1, 1)}, 2e9, "each trace has a group, and a group fell out"},
		{"a batch that is longer than the ring", []*ParentBatch{batch(1, 1), batch(room+1, 1)}, 3e9, "its first link fell out"},
		{"a batch of more traces than the ring has groups", []*ParentBatch{batch(1, 1), batch(groups+1, groups+1)}, 3e9, "its first group fell out"},
		{"after a longer batch", []*ParentBatch{batch(room+1, 1), batch(1, 1)}, 2e9, "all that fell out is of the first second"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := ParentCache{most: room}
			for second, b := range tc.batches {
				l.Add(uint32(1+second), b)
			}
			require.Equal(t, tc.lost, l.Lost(), tc.reason)
		})
	}
}

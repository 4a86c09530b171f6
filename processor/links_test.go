package processor

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

func numbered(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func linksOf(l *parentCache, trace byte) map[pcommon.SpanID]pcommon.SpanID {
	all := map[pcommon.SpanID]pcommon.SpanID{}
	l.of(keyOf(traceID(trace)), func(span, parent pcommon.SpanID, _ agentrun.Process) { all[span] = parent })
	return all
}

// A trace finds its own links, whatever came between them, and no other's.
func TestLinksOfATrace(t *testing.T) {
	var l parentCache
	require.Empty(t, linksOf(&l, 1), "nothing has come")
	for batch := range 3 {
		var b parentBatch
		for i := range 10 {
			b.add(traceID(byte(i%2)), parentLink{numbered(100*batch + i), numbered(1)})
		}
		l.put(&b)
	}
	got := linksOf(&l, 1)
	require.Len(t, got, 15)
	for batch := range 3 {
		for i := 1; i < 10; i += 2 {
			require.Equal(t, numbered(1), got[numbered(100*batch+i)])
		}
	}
}

// What is oldest is forgotten, by the number of links and of groups, and nothing is mixed up at the seam.
func TestLinksAreARing(t *testing.T) {
	for _, alternate := range []bool{true, false} {
		var l parentCache
		const rounds = 3 * maxSlots / 1000
		for batch := range rounds {
			var b parentBatch
			for i := range 1000 {
				trace := byte(0)
				if alternate && i%2 == 0 || !alternate && i == 999 {
					trace = 1
				}
				b.add(traceID(trace), parentLink{numbered(1000*batch + i), numbered(batch)})
			}
			l.put(&b)
		}
		for _, trace := range []byte{0, 1} {
			got := linksOf(&l, trace)
			require.NotEmpty(t, got)
			require.LessOrEqual(t, len(got), longestTrace+1000)
			for span, parent := range got {
				n := int(binary.BigEndian.Uint64(span[:]))
				require.Equal(t, numbered(n/1000), parent)
				require.GreaterOrEqual(t, 1000*rounds-n, 0)
			}
		}
	}
}

// The ring begins small and grows until it is as large as it may be. Nothing is lost as long as it grows.
func TestTheRingGrows(t *testing.T) {
	l := parentCache{most: 1 << 12}
	require.Zero(t, l.bytes(), "nothing has come")
	for i := range 3 << 12 {
		var b parentBatch
		for s := range 2 {
			b.add(traceID(byte(i%100)), parentLink{numbered(2*i + s), numbered(i)})
		}
		l.put(&b)
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
		require.Contains(t, last, numbered(2*oldest), "the oldest that there is room for")
	}
	require.Equal(t, int64(slotBytes)<<12, l.bytes())
	require.Len(t, l.slots, 1<<12)
}

func TestSlotsWithin(t *testing.T) {
	for bytes, slots := range map[int64]int{0: leastSlots, 38 << 10: 1 << 10, 38<<10 - 1: 1 << 9, 1 << 40: maxSlots} {
		require.Equal(t, slots, slotsWithin(bytes), bytes)
	}
}

// A sender that made trace ids meet in one place of the ring had every new trace walk over all that stood there.
func TestAWalkOverLinksIsBounded(t *testing.T) {
	const head = traceKey(1 << 40) // the low bits, which choose the place, are those of every multiple
	var l parentCache
	for batch := range 2 * maxSlots / 1000 {
		var b parentBatch
		for i := range 1000 {
			b.links = append(b.links, parentLink{numbered(1000*batch + i), numbered(batch)})
			b.traces = append(b.traces, traceLinks{key: head * traceKey(1+i%2), n: 1})
		}
		l.put(&b)
	}
	var long parentBatch
	for i := range 3 * longestTrace {
		long.links = append(long.links, parentLink{numbered(i), numbered(1)})
	}
	long.traces = []traceLinks{{key: head * 9, n: len(long.links)}}
	l.put(&long)
	for _, tc := range []struct {
		name   string
		key    traceKey
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
			looked := l.of(tc.key, func(span, _ pcommon.SpanID, _ agentrun.Process) { found[span] = true })
			require.LessOrEqual(t, looked, tc.looked, tc.reason)
			require.GreaterOrEqual(t, len(found), tc.links, tc.reason)
		})
	}
}

// While a walk gives others the ring, what it has not looked at yet may fall out. It ends there.
func TestAWalkThatIsOvertakenEnds(t *testing.T) {
	l := parentCache{most: leastSlots}
	for i := range 64 {
		l.put(&parentBatch{links: []parentLink{{numbered(i), numbered(1)}}, traces: []traceLinks{{key: 7, n: 1}}})
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

// Nobody outside of the process can know where the links of a trace stand.
func TestKeysOfTracesCannotBeForeseen(t *testing.T) {
	const traces = 64
	low := map[traceKey]bool{}
	for i := range traces {
		low[keyOf(meeting15(i))&(1<<15-1)] = true
	}
	require.Greater(t, len(low), traces/2, "ids that met in one place of a known hash are spread")
}

// meeting15 is the i-th trace id whose low bits are 0 under a hash that anybody can compute.
func meeting15(i int) (id pcommon.TraceID) {
	for n := uint64(i) << 40; ; n++ {
		binary.LittleEndian.PutUint64(id[:8], n)
		binary.LittleEndian.PutUint64(id[8:], ^n)
		hi, lo := bits.Mul64(n^0xa0761d6478bd642f, ^n^0xe7037ed1a0b428db)
		hi, lo = bits.Mul64(hi^lo, 0x9E3779B97F4A7C15)
		if (hi^lo)&(1<<15-1) == 0 {
			return id
		}
	}
}

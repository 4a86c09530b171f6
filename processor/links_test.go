package processor

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func numbered(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func linksOf(l *links, trace byte) map[pcommon.SpanID]pcommon.SpanID {
	all := map[pcommon.SpanID]pcommon.SpanID{}
	l.of(keyOf(traceID(trace)), func(span, parent pcommon.SpanID) { all[span] = parent })
	return all
}

// A trace finds its own links, whatever came between them, and no other's.
func TestLinksOfATrace(t *testing.T) {
	var l links
	require.Empty(t, linksOf(&l, 1), "nothing has come")
	for batch := range 3 {
		var b linkBatch
		for i := range 10 {
			b.add(traceID(byte(i%2)), link{numbered(100*batch + i), numbered(1)})
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
		var l links
		const rounds = 3 * linkSlots / 1000
		for batch := range rounds {
			var b linkBatch
			for i := range 1000 {
				trace := byte(0)
				if alternate && i%2 == 0 || !alternate && i == 999 {
					trace = 1
				}
				b.add(traceID(trace), link{numbered(1000*batch + i), numbered(batch)})
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

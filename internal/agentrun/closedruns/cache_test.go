package closedruns

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// reminder is a cache of closed runs without any optimization. No two of its runs closed at the same time.
type reminder struct {
	most int
	runs []reminded
}

type reminded struct {
	Run
	gone bool
}

func (m *reminder) remember(id pcommon.TraceID, p Runs) {
	m.forget(id)
	for _, r := range p {
		r.Number = 0
		if i := slices.IndexFunc(m.runs, func(k reminded) bool { return k.At == r.At }); i >= 0 {
			m.runs[i].gone = false
		} else {
			m.runs = append(m.runs, reminded{Run: r})
			m.runs = m.runs[max(0, len(m.runs)-m.most):]
		}
	}
}

func (m *reminder) forget(id pcommon.TraceID) {
	for i := range m.runs {
		m.runs[i].gone = m.runs[i].gone || m.runs[i].Trace == id
	}
}

func (m *reminder) of(id pcommon.TraceID) (p Runs) {
	for _, r := range m.runs {
		if r.Trace == id && !r.gone {
			p = append(p, r.Run)
		}
	}
	return p
}

// numberless removes the numbers that say where runs are in the cache.
func numberless(p Runs) Runs {
	p = append(Runs{}, p...)
	for i := range p {
		p[i].Number = 0
	}
	return p
}

// ageBy raises the numbers as if that number of runs had been added and dropped before.
func (m *Cache) ageBy(runs uint64) {
	m.count += runs
	for i := range m.newest {
		m.newest[i] += uint32(runs)
	}
	for i := range m.ring {
		m.ring[i].before += uint32(runs)
	}
}

// A ring of any size keeps the same runs as a list, also when the low halves of its numbers wrap around.
func TestCache(t *testing.T) {
	for _, most := range []int{0, 1, 2, 7, 8, 9, 64, 100} {
		random := rand.New(rand.NewPCG(1, uint64(most)))
		m, want := NewCache(most), reminder{most: most}
		for n := range 3000 {
			if n == 2000 && most > 0 {
				require.Len(t, m.ring, most)
				m.ageBy((1<<32 - m.count - 100) / uint64(most) * uint64(most))
			}
			id := numberedTrace(1 + random.IntN(2*most+2))
			require.Equal(t, numberless(want.of(id)), numberless(m.Of(id)))
			if random.IntN(4) == 0 {
				m.Forget(id)
				want.forget(id)
				continue
			}
			p := append(slices.Clone(m.Of(id)), Run{
				Span: agentrun.Span{Trace: id, ID: numberedSpan(n), Parent: numberedSpan(n / 2), Start: 1, End: pcommon.Timestamp(n)},
				Kind: agentrun.AnchorKind(n % 3), Reason: agentrun.CloseReason(n % 4), At: int64(n),
			})
			p = p[max(0, len(p)-3):]
			m.Remember(id, p)
			want.remember(id, p)
		}
		require.LessOrEqual(t, m.Size(), 2*(most+8)*(CachedBytes+4)+4*most*RunBytes)
		require.True(t, most < 2 || m.count > 1<<32 && uint32(m.count) < 10_000)
	}
}

// A trace that opens and closes repeatedly takes one place for each of its runs, and drops no others.
func TestCacheOfATraceThatComesBack(t *testing.T) {
	m := NewCache(64)
	other := numberedTrace(1)
	m.Remember(other, Runs{{Span: agentrun.Span{Trace: other, ID: numberedSpan(1)}}})
	for n := range 63 {
		id := numberedTrace(2)
		p := append(Runs{}, m.Of(id)...)
		m.Forget(id)
		m.Remember(id, append(p, Run{Span: agentrun.Span{Trace: id, ID: numberedSpan(n)}}))
		require.Len(t, m.Of(id), n+1)
		require.Len(t, m.Of(other), 1)
	}
}

func numberedTrace(n int) (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func numberedSpan(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

// The account goes by these sizes. Slices have spare room, so it may be over them, by no more than half.
func TestTheAccountOfClosedRuns(t *testing.T) {
	for name, c := range map[string]struct{ account, size int }{
		"cached run": {CachedBytes, int(unsafe.Sizeof(cachedRun{}))},
		"closed run": {RunBytes, int(unsafe.Sizeof(Run{}))},
	} {
		t.Run(name, func(t *testing.T) {
			require.GreaterOrEqual(t, c.account, c.size)
			require.LessOrEqual(t, c.account, c.size*3/2)
		})
	}
}

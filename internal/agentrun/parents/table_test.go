package parents

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

func TestTheAccountOfLinks(t *testing.T) {
	require.GreaterOrEqual(t, LinkBytes, int(unsafe.Sizeof(Link{})))
	var p Table
	var w compare.Work
	size := 0
	for i := range 2 * FirstLinks {
		size += p.Add(Link{ID: pcommon.SpanID{byte(i), byte(i >> 8), 1}, Parent: pcommon.SpanID{1}}, &w)
	}
	require.Equal(t, size, p.Size(), "what Add returns is what grew, also where the links are hashed")
	size += p.Add(Link{ID: pcommon.SpanID{0, 0, 1}, Parent: pcommon.SpanID{2}}, &w)
	require.Equal(t, size, p.Size(), "a dispute is counted")
	require.Zero(t, p.Add(Link{ID: pcommon.SpanID{0, 0, 1}, Parent: pcommon.SpanID{2}}, &w), "a link that is known takes nothing")
	require.Zero(t, p.Dispute(agentrun.SpanKey{}), "a span without an ID is not disputed")
}

// Few links are searched in order, and many are hashed. Both find the same.
func TestLinksInOrderAnswerLikeHashedOnes(t *testing.T) {
	disputes, foreign := 0, 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 3))
		var inOrder, hashed Table
		var w compare.Work
		for range random.IntN(sortedLinks) {
			l := Link{ID: pcommon.SpanID{byte(random.IntN(20) + 1)}, Parent: pcommon.SpanID{byte(random.IntN(3) + 1)}, Process: agentrun.Process(random.IntN(3) + 1)}
			inOrder.Add(l, &w)
			hashed.Add(l, &w)
		}
		inOrder.Tidy()
		hashed.hash()
		require.Nil(t, inOrder.index)
		for id := byte(1); id <= 20; id++ {
			for by := range agentrun.Process(5) {
				a, b := inOrder.Of(pcommon.SpanID{id}, by+1), hashed.Of(pcommon.SpanID{id}, by+1)
				require.Equal(t, [...]bool{a.Seen, a.Own, a.Disputed}, [...]bool{b.Seen, b.Own, b.Disputed}, "seed %d, span %d of process %d", seed, id, by+1)
				if !a.Disputed {
					require.Equal(t, a.Parent, b.Parent, "seed %d, span %d of process %d", seed, id, by+1)
				}
				if a.Disputed {
					disputes++
				}
				if a.Seen && !a.Own {
					foreign++
				}
			}
		}
	}
	require.Positive(t, disputes)
	require.Positive(t, foreign)
}

// The memory of links is reused, and has nothing of the trace before.
func TestEmptiedLinksKnowNothing(t *testing.T) {
	p := New()
	room := p.Room()
	p.Add(Link{ID: pcommon.SpanID{1}, Parent: pcommon.SpanID{2}}, new(compare.Work))
	p.Dispute(agentrun.SpanKey{ID: pcommon.SpanID{1}})
	p = p.Emptied()
	require.Equal(t, room, p.Room())
	require.Zero(t, p.Size())
	require.Empty(t, p.All())
	require.False(t, p.Of(pcommon.SpanID{1}, 0).Seen)
	for range keptLinks + 1 {
		p.Add(Link{ID: pcommon.SpanID{1}}, new(compare.Work))
	}
	p = p.Emptied()
	require.Zero(t, p.Room(), "a long list is not kept")
}

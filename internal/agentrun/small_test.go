package agentrun

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// What is walked in a small trace is what the maps of a large one tell, whatever the shape.
func TestSmallTracesAreAsLargeOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func() pcommon.SpanID { return pcommon.SpanID{byte(random.IntN(10))} } // the first of them is none
	for range 20_000 {
		tr := &trace{}
		for range random.IntN(smallTrace) {
			tr.addLink(some(), some())
		}
		var seats []seat
		var calls []record
		for range random.IntN(4) {
			seats = append(seats, seat{Span: Span{ID: some()}})
		}
		for range random.IntN(4) {
			calls = append(calls, record{id: some()})
		}
		walked, hashed := resolver{}, resolver{}
		walked.begin(tr, seats, calls)
		require.True(t, walked.small)
		hashed.parents = walked.parents
		hashed.hash(seats, calls)
		for i := range byte(10) {
			id := pcommon.SpanID{i}
			large, small := hashed.ascend(id), walked.ascend(id)
			if cyclic(tr, id) { // there the maps forget calls, by the order in which one asks
				large.call, small.call = none, none
			}
			require.Equal(t, large, small, "%v %v %v %v", tr.links, seats, calls, id)
			require.Equal(t, hashed.unfinished(Span{Parent: id}), walked.unfinished(Span{Parent: id}))
		}
	}
}

// cyclic reports whether the way up from id comes to no end.
func cyclic(tr *trace, id pcommon.SpanID) bool {
	for range smallTrace + 1 {
		parent, seen := tr.parents().of(id)
		if !seen || id.IsEmpty() {
			return false
		}
		id = parent
	}
	return true
}

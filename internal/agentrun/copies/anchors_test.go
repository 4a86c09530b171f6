package copies_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
)

// The copy of an anchor with the most attributes is first, in any order of arrival.
func TestCopiesOfAnAnchor(t *testing.T) {
	anchor := func(end pcommon.Timestamp, attributes ...string) agentrun.Anchor {
		a := agentrun.Anchor{Span: agentrun.Span{ID: pcommon.SpanID{1}, End: end}, Held: ptrace.NewSpan()}
		for _, key := range attributes {
			a.Held.Attributes().PutStr(key, key)
		}
		return a
	}
	short, long, withKey := anchor(5), anchor(9), anchor(9, "k")
	for _, all := range [][]agentrun.Anchor{{short, long, withKey}, {withKey, long, short}, {long, withKey, short}} {
		copies.SortAnchors(all, new(compare.Work))
		require.Equal(t, []int{1, 0, 0}, []int{all[0].Held.Attributes().Len(), all[1].Held.Attributes().Len(), all[2].Held.Attributes().Len()})
		require.Equal(t, pcommon.Timestamp(5), all[2].End)
	}
	require.True(t, copies.AnchorsAgree(&short, &long), "the end moves while a span is under way")
	other := withKey
	other.Held = ptrace.NewSpan()
	other.Held.Attributes().PutStr("k", "another")
	known := copies.AnchorAttributes{}
	require.False(t, known.Agree(0, &withKey, &other, new(compare.Work)), "two values of one key contradict each other")
	require.True(t, known.Agree(0, &withKey, &long, new(compare.Work)), "a copy may lack an attribute")
}

// If a span has two copies, the copy that says more about the span represents it.
func TestAnchorsOfTheBestKind(t *testing.T) {
	anchor := func(id byte, kind agentrun.AnchorKind) agentrun.Anchor {
		return agentrun.Anchor{Span: agentrun.Span{ID: pcommon.SpanID{id}}, Kind: kind}
	}
	for _, tc := range []struct {
		name        string
		ready       []agentrun.Anchor
		stay, leave int
		reason      string
	}{
		{"an agent and a root of one span", []agentrun.Anchor{anchor(1, agentrun.Root), anchor(1, agentrun.Agent)}, 1, 1, "the agent represents the span"},
		{"an agent and a root of two spans", []agentrun.Anchor{anchor(1, agentrun.Agent), anchor(2, agentrun.Root)}, 2, 0, "they are no copies"},
		{"two agents of one span", []agentrun.Anchor{anchor(1, agentrun.Agent), anchor(1, agentrun.Agent)}, 2, 0, "both say the same"},
		{"spans without an ID", []agentrun.Anchor{anchor(0, agentrun.Agent), anchor(0, agentrun.Root)}, 2, 0, "nothing says that they are copies"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var h agentrun.ClosedBatch
			require.Len(t, copies.OfBestKind(tc.ready, &h), tc.stay, tc.reason)
			require.Len(t, h.Passthrough, tc.leave, tc.reason)
		})
	}
}

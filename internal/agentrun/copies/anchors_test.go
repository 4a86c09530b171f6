package copies_test

import (
	"strconv"
	"strings"
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
	one, two := long, long
	one.Scope, two.Scope = 1, 2
	for _, all := range [][]agentrun.Anchor{{one, two}, {two, one}} {
		copies.SortAnchors(all, new(compare.Work))
		require.Equal(t, agentrun.Scope(1), all[0].Scope, "the order of arrival decides nothing")
	}
	require.False(t, copies.AnchorsAgree(&one, &two), "conditions read the scope")
	require.True(t, copies.AnchorsAgree(&one, &long), "early versions stored no scope")
	known := copies.NewAnchorAttributes(new(compare.Work))
	require.False(t, known.Agree(0, &withKey, &other), "two values of one key contradict each other")
	require.True(t, known.Agree(0, &withKey, &long), "a copy may lack an attribute")
}

// Copies that are equal except for the version of their scope are sorted by it, and do not repeat each other.
func TestCopiesOfTwoVersionsOfAScope(t *testing.T) {
	version := func(v string) agentrun.Anchor {
		o := &agentrun.Origin{Scope: ptrace.NewScopeSpans()}
		o.Scope.Scope().SetVersion(v)
		return agentrun.Anchor{Span: agentrun.Span{ID: pcommon.SpanID{1}}, Held: ptrace.NewSpan(), Origin: o}
	}
	var first []string
	for _, all := range [][]agentrun.Anchor{{version("1"), version("2")}, {version("2"), version("1")}} {
		copies.SortAnchors(all, new(compare.Work))
		first = append(first, all[0].Origin.Scope.Scope().Version())
		require.False(t, all[1].Repeats)
	}
	require.Equal(t, first[0], first[1], "the order of arrival decides nothing")
}

// Copies of a span with many values. The work is that of their comparison alone.
func TestCopiesThatDifferAreReadWithinABound(t *testing.T) {
	const many = copies.MaxRead/2 + 1
	entries := func(n int) map[string]any {
		m := make(map[string]any, n)
		for i := range n {
			m[strconv.Itoa(i)] = 1
		}
		return m
	}
	inMap := func(n int) ptrace.Span { // in any order
		s := ptrace.NewSpan()
		require.NoError(t, s.Attributes().PutEmptyMap("m").FromRaw(entries(n)))
		return s
	}
	attributes := func(n int) ptrace.Span {
		s := ptrace.NewSpan()
		require.NoError(t, s.Attributes().FromRaw(entries(n)))
		return s
	}
	inList := func(n int, name string) ptrace.Span {
		s := ptrace.NewSpan()
		s.SetName(name)
		l := s.Attributes().PutEmptySlice("l")
		l.EnsureCapacity(n)
		for range n {
			l.AppendEmpty()
		}
		return s
	}
	again := func(s ptrace.Span) ptrace.Span {
		c := ptrace.NewSpan()
		s.CopyTo(c)
		return c
	}
	large := inMap(many)
	for _, tc := range []struct {
		name   string
		spans  []ptrace.Span
		agree  bool
		work   compare.Work
		reason string
	}{
		{"a map in another order", []ptrace.Span{inMap(1_000), inMap(1_000)}, true, 10_000, "maps have no order"},
		{"attributes in another order", []ptrace.Span{attributes(1_000), attributes(1_000)}, true, 10_000, "attributes have no order"},
		{"a large map, three times", []ptrace.Span{large, again(large), again(large)}, true, 0, "a retried export is equal, byte for byte"},
		{"a large map in another order", []ptrace.Span{inMap(many), inMap(many)}, false, copies.MaxRead, "each entry takes a look-up"},
		{"many attributes in another order", []ptrace.Span{attributes(many), attributes(many)}, false, copies.MaxRead, "each attribute takes a look-up"},
		{"a large list", []ptrace.Span{inList(2*many, "a"), inList(2*many, "b")}, false, copies.MaxRead, "each element is read"},
		{
			"many copies", []ptrace.Span{inMap(many / 4), inMap(many / 4), inMap(many / 4), inMap(many / 4), inMap(many / 4), inMap(many / 4)},
			false, copies.MaxRead, "the bound is for all copies together",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			anchors := make([]agentrun.Anchor, len(tc.spans))
			lengths := 0
			for i := range anchors {
				anchors[i] = agentrun.Anchor{Span: agentrun.Span{ID: pcommon.SpanID{1}}, Held: tc.spans[i]}
				lengths += tc.spans[i].Attributes().Len()
			}
			copies.SortAnchors(anchors, new(compare.Work))
			var w compare.Work
			known, agree := copies.NewAnchorAttributes(&w), true
			for i := range anchors[1:] {
				agree = known.Agree(0, &anchors[0], &anchors[i+1]) && agree
			}
			require.Equal(t, tc.agree, agree, tc.reason)
			require.LessOrEqual(t, w, tc.work, tc.reason)
			for i := range anchors {
				lengths -= anchors[i].Held.Attributes().Len()
			}
			require.Zero(t, lengths, "the spans stay as they are")
		})
	}
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

// Many copies may have one large scope. It is written once for all of them, else the work would be its size for each copy.
func TestALargeScopeIsWrittenOnce(t *testing.T) {
	const agents, size = 100, 1 << 16
	origin := &agentrun.Origin{Scope: ptrace.NewScopeSpans()}
	origin.Scope.Scope().Attributes().PutStr("k", strings.Repeat("x", size))
	var anchors []agentrun.Anchor
	for i := range agents {
		for range 2 {
			anchors = append(anchors, agentrun.Anchor{Span: agentrun.Span{ID: pcommon.SpanID{byte(i + 1)}}, Held: ptrace.NewSpan(), Origin: origin})
		}
	}
	var once, w compare.Work
	once.Read(size)
	copies.SortAnchors(anchors, &w)
	require.Less(t, w, 2*once, "the scope once, and the spans are short")
	for i := range anchors {
		require.Equal(t, i%2 == 1, anchors[i].Repeats, "copies are equal")
	}
}

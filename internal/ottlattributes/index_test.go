package ottlattributes

import (
	"bytes"
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// numbered is a map with n attributes. Their keys and values are their numbers.
func numbered(n int) pcommon.Map {
	m := pcommon.NewMap()
	m.EnsureCapacity(n)
	for i := range n {
		m.PutInt(strconv.Itoa(i), int64(i))
	}
	return m
}

// A look-up finds what pdata finds. A large map is read once for all its look-ups, and a small one is never indexed.
func TestLookups(t *testing.T) {
	const large = 2_000
	for _, tc := range []struct {
		claim   string
		size    int
		find    Lookup
		nextRun bool
		read    int
		reason  string
	}{
		{"a small map of a span", Few, OfSpan, false, 0, "to search it takes no more than to ask an index"},
		{"a small map of a resource", Few, OfOrigin, false, 0, "likewise"},
		{"a large map of a span", large, OfSpan, false, large, "it is read once, however many look-ups there are"},
		{"a large map of a resource", large, OfOrigin, false, large, "likewise"},
		{"a span's map in the next run", large, OfSpan, true, 2 * large, "its attributes may have changed"},
		{"a resource's map in the next run", large, OfOrigin, true, large, "many runs share it, and it does not change"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			ctx, m := Keep(t.Context()), numbered(tc.size)
			for round := range 2 {
				if round > 0 && tc.nextRun {
					NextRun(ctx)
				}
				for i := range tc.size + 1 {
					want, there := m.Get(strconv.Itoa(i % Few))
					got, ok := tc.find(ctx, m, strconv.Itoa(i%Few))
					require.Equal(t, there, ok)
					require.Equal(t, want, got)
				}
				_, ok := tc.find(ctx, m, "none")
				require.False(t, ok)
			}
			require.Equal(t, tc.read, Read(ctx), tc.reason)
		})
	}
}

// Two resources that are asked in turn are each read once.
func TestLookupsInTurn(t *testing.T) {
	ctx, one, two := Keep(t.Context()), numbered(1_000), numbered(2_000)
	for range 100 {
		for _, m := range []pcommon.Map{one, two} {
			_, ok := OfOrigin(ctx, m, "7")
			require.True(t, ok)
		}
	}
	require.Equal(t, 3_000, Read(ctx))
}

// If a key is repeated, its first value counts, as in pdata. Only bytes of a sender have such a map.
func TestRepeatedKeys(t *testing.T) {
	td := ptrace.NewTraces()
	attributes := td.ResourceSpans().AppendEmpty().Resource().Attributes()
	numbered(Few).CopyTo(attributes)
	attributes.PutStr("same", "first")
	attributes.PutStr("also", "second")
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	td, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(bytes.Replace(wire, []byte("also"), []byte("same"), 1))
	require.NoError(t, err)
	attributes = td.ResourceSpans().At(0).Resource().Attributes()
	want, _ := attributes.Get("same")
	got, ok := OfOrigin(Keep(t.Context()), attributes, "same")
	require.True(t, ok)
	require.Equal(t, "first", got.Str())
	require.Equal(t, want, got)
}

// Small maps, and maps without a context that keeps indexes, cost no memory.
func TestLookupsAllocateNothing(t *testing.T) {
	for claim, tc := range map[string]struct {
		ctx  context.Context
		size int
	}{
		"a small map":           {Keep(t.Context()), Few},
		"no context to keep":    {t.Context(), 10 * Few},
		"an index that is kept": {Keep(t.Context()), 10 * Few},
	} {
		m := numbered(tc.size)
		OfSpan(tc.ctx, m, "7")
		require.Zero(t, testing.AllocsPerRun(100, func() { OfSpan(tc.ctx, m, "7"); OfOrigin(t.Context(), m, "7") }), claim)
	}
}

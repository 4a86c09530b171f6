package processor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
)

// longResource is a request of three agents in two scopes of one resource, and what a processor stored of it before it was
// gone.
func longResource(t *testing.T) *memoryStorage {
	v := newMemoryStorage()
	r := newRig(t, stored)
	require.NoError(t, r.openJournal(t.Context(), v))
	require.NoError(t, r.resume(t.Context()))
	second := agent("c", "", 1, 9).in(3)
	second.scope = "another"
	td := traces(agent("a", "", 1, 9).in(1), agent("b", "", 1, 9).in(2), second)
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("x", strings.Repeat("x", 1000))
	td.ResourceSpans().At(0).SetSchemaUrl("of the resource")
	td.ResourceSpans().At(0).ScopeSpans().At(1).SetSchemaUrl("of the scope")
	require.NoError(t, r.ConsumeTraces(t.Context(), td))
	require.Less(t, memoryClient{v}.sizeAfter(nil), 2000, "the resource is stored once")
	require.NoError(t, r.telemetry.Shutdown(context.Background()))
	return v
}

// kinds are how many records there are of each kind.
func (v *memoryStorage) kinds(t *testing.T) map[journal.Kind]int {
	kinds := map[journal.Kind]int{}
	for _, key := range v.keys() {
		e, err := journal.DecodeRecord(v.entries[key])
		require.NoError(t, err)
		kinds[e.Kind]++
	}
	return kinds
}

// Spans that share a long resource are resumed with it, share it again, and the record of it goes with the last of them.
func TestASharedResourceOutlivesTheProcess(t *testing.T) {
	v := longResource(t)
	require.Equal(t, 1, v.kinds(t)[journal.KindOrigin])
	require.Equal(t, 3, v.kinds(t)[journal.KindReferring])
	r := newRig(t, stored)
	r.host = v
	require.NoError(t, r.openJournal(t.Context(), v))
	require.NoError(t, r.resume(t.Context()))
	r.clock.stop()
	require.InDelta(t, 1000, r.origins.Load(), 800, "it counts once")
	requests := 0
	r.next = &picky{r.sink, func(td ptrace.Traces) error {
		requests++
		require.Equal(t, 1, td.ResourceSpans().Len())
		rs := td.ResourceSpans().At(0)
		x, _ := rs.Resource().Attributes().Get("x")
		require.Len(t, x.Str(), 1000)
		require.Equal(t, "of the resource", rs.SchemaUrl())
		require.Equal(t, 2, rs.ScopeSpans().Len())
		for _, ss := range rs.ScopeSpans().All() {
			require.Equal(t, ss.Scope().Name() == "another", ss.SchemaUrl() == "of the scope")
		}
		return nil
	}}
	r.Advance(t.Context(), time.Hour)
	require.Equal(t, 1, requests)
	r.sent = 3
	require.NoError(t, r.Shutdown(t.Context()))
	require.Zero(t, v.kinds(t)[journal.KindOrigin]+v.kinds(t)[journal.KindReferring], "records that no held span needs")
	r.conserved()
}

// If the record of a resource is damaged, the spans that refer to it are quarantined, and the start does not fail. A record
// without references is removed.
func TestADamagedSharedResource(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(v *memoryStorage, key string, e journal.Record)
		lost  int
	}{
		"the resource is damaged": {func(v *memoryStorage, key string, e journal.Record) {
			if e.Kind == journal.KindOrigin {
				v.entries[key][20]++
			}
		}, 4},
		"the resource is no resource": {func(v *memoryStorage, key string, e journal.Record) {
			if e.Kind == journal.KindOrigin {
				v.entries[key] = journal.EncodeRecord(journal.KindOrigin, e.At, []byte("nothing"))
			}
		}, 4},
		"the resource is gone": {func(v *memoryStorage, key string, e journal.Record) {
			if e.Kind == journal.KindOrigin {
				delete(v.entries, key)
			}
		}, 3},
		"the spans are gone": {func(v *memoryStorage, key string, e journal.Record) {
			if e.Kind == journal.KindReferring {
				delete(v.entries, key)
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			v := longResource(t)
			for _, key := range v.keys() {
				e, err := journal.DecodeRecord(v.entries[key])
				require.NoError(t, err)
				tc.spoil(v, key, e)
			}
			r := newRig(t, stored)
			require.NoError(t, r.Start(t.Context(), v))
			require.Zero(t, r.total("spans_resumed"))
			require.Equal(t, tc.lost, r.total("records_set_aside"))
			require.NoError(t, r.Shutdown(t.Context()))
			for _, key := range v.keys() {
				if !strings.HasPrefix(key, "corrupt-") {
					e, err := journal.DecodeRecord(v.entries[key])
					require.NoError(t, err)
					require.NotContains(t, []journal.Kind{journal.KindOrigin, journal.KindReferring}, e.Kind)
				}
			}
			r.conserved()
		})
	}
}

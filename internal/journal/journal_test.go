package journal

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// capacities are large enough for all of these tests.
var capacities = Capacities{Parents: 16, MCPSpans: 1024, ClosedTraces: 256, Summaries: 1024}

// While a write of the queues is under way, other writes fail, so that the queues are dropped. The slow write adds to slots
// that no other record has.
func TestASlowWriteOverwritesNothing(t *testing.T) {
	g := newFakeClient()
	j := New(g, agentrun.Settings{}, capacities)
	j.addToFIFOLater(time.Now(), KindClosed, []byte("a closed trace"), &j.closedTraces)
	g.ask(func(_ context.Context, operations []*storage.Operation) error {
		if operations[0].Key == SlotsKey {
			return nil
		}
		g.ask(removalsOnly)
		for range 5 {
			slot := j.slot()
			require.Error(t, j.write(t.Context(), map[uint32]addition{slot: {data: []byte("refused")}}))
			j.free(slot)
		}
		g.ask(nil)
		for range 8 { // whatever slots are free
			require.NoError(t, j.write(t.Context(), map[uint32]addition{j.slot(): {data: []byte("held")}}))
		}
		return nil
	})
	require.NoError(t, j.Commit(t.Context()))
	n := 0
	for _, key := range g.keys() {
		if string(g.entries[key]) == "held" {
			n++
		}
	}
	require.Equal(t, 8, n, "records of held spans")
}

// A record that is removed while it is being added, in a write that fails, is not added by the next one.
func TestWhatIsRemovedWhileItIsAddedIsNotAddedAgain(t *testing.T) {
	g := newFakeClient()
	j := New(g, agentrun.Settings{}, capacities)
	slot := j.Add(time.Now(), []byte("what is left"))
	g.ask(func(_ context.Context, operations []*storage.Operation) error {
		if operations[0].Key == SlotsKey {
			return nil
		}
		g.ask(removalsOnly)
		j.Remove(slot)
		return errFull
	})
	require.Error(t, j.Commit(t.Context()))
	g.ask(nil)
	require.NoError(t, j.Commit(t.Context()))
	require.Equal(t, []string{SlotsKey}, g.keys())
	require.Equal(t, slot, j.slot(), "it is free")
	require.NotEqual(t, slot, j.slot(), "once")
}

// The queues are dropped after several failures, which do not include senders that gave up.
func TestMemoriesAreGivenUpAtLast(t *testing.T) {
	g := newFakeClient()
	j := New(g, agentrun.Settings{}, capacities)
	j.addToFIFOLater(time.Now(), KindClosed, []byte("a closed trace"), &j.closedTraces)
	require.NoError(t, j.Commit(t.Context()))
	g.ask(removalsOnly)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	write := func(ctx context.Context, times int) {
		for range times {
			require.Error(t, j.write(ctx, map[uint32]addition{100: {data: []byte("refused")}}))
		}
	}
	write(gone, 10)
	write(t.Context(), 2)
	require.Len(t, j.closedTraces.items, 1)
	write(t.Context(), 1)
	require.Empty(t, j.closedTraces.items)
	write(t.Context(), 1)
	require.Equal(t, []string{SlotsKey}, g.keys(), "there is room now")
}

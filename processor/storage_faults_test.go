package processor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// startOn starts a processor on a storage.
func startOn(t *testing.T, h component.Host, change func(*Settings)) *rig {
	t.Helper()
	r := newRig(t, func(s *Settings, k *sink) {
		stored(s, k)
		if change != nil {
			change(s)
		}
	})
	require.NoError(t, r.Start(t.Context(), h))
	return r
}

// An obsolete record that could not be written while the storage was full never overwrites a span that was acknowledged
// since.
func TestAStaleEntryIsNotWrittenOverAnAcknowledgedSpan(t *testing.T) {
	g := newMemoryStorage()
	synctest.Test(t, func(t *testing.T) {
		first := startOn(t, g, nil)
		require.NoError(t, first.send(agent("one", "", 1, 10), tool("c1", "one", 3, 4, "search"),
			agent("two", "", 1, 10).in(2), tool("c2", "two", 3, 4, "search").in(2)))
		g.ask(removalsOnly)
		first.after(12*time.Second, 4)
		g.ask(nil)
		require.NoError(t, first.send(agent("three", "", 1, 10).in(3), tool("c3", "three", 3, 4, "search").in(3)))
		first.kill()

		second := startOn(t, g, nil)
		time.Sleep(12 * time.Second)
		synctest.Wait()
		assert.Equal(t, 1.0, second.verdict("three")["tool_correctness.score"], "its span and its call were acknowledged")
		require.NoError(t, second.Shutdown(context.Background()))
	})
}

// A released span whose removal waits behind a batch is released again after a crash, with the same verdict.
func TestASpanThatComesAgainHasTheSameVerdict(t *testing.T) {
	for _, tc := range []struct {
		scope  string
		whole  bool
		reason string
	}{
		{"agent", false, "the removal of the run's span was not written, so the span is held again"},
		{"trace", true, "likewise, and the run is the whole trace"},
	} {
		t.Run(tc.scope, func(t *testing.T) {
			h := &host{memoryStorage: newMemoryStorage()}
			change := func(s *Settings) { s.Run.WholeTrace = tc.whole }
			synctest.Test(t, func(t *testing.T) {
				first := startOn(t, h, change)
				require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "unknown", 3, 4, "search")))
				h.ask(noWrites) // so the removal is not written
				first.after(12*time.Second, 2)
				want := first.verdict("run")
				first.kill()
				h.ask(nil)

				second := startOn(t, h, change)
				require.Equal(t, 1, second.total("spans_resumed"))
				second.after(12*time.Second, 1)
				assert.Equal(t, want, second.verdict("run"), tc.reason)
				require.NoError(t, second.Shutdown(context.Background()))
			})
		})
	}
}

// A full storage does not delete calls that were acknowledged and wait for their run.
func TestAFullStorageKeepsNeededRecords(t *testing.T) {
	g := newMemoryStorage()
	synctest.Test(t, func(t *testing.T) {
		first := startOn(t, g, nil)
		require.NoError(t, first.send(agent("sub", "run", 2, 5), tool("c1", "sub", 3, 4, "lookup"),
			tool("c2", "run", 6, 7, "search"), plain("x", "run", 1, 2)))
		g.ask(removalsOnly)
		first.after(12*time.Second, 4) // sub is out, and c2 waits for run
		g.ask(nil)
		first.kill()

		second := startOn(t, g, nil)
		require.NoError(t, second.send(agent("run", "", 1, 10)))
		second.after(12*time.Second, 2) // that sub is out could not be written
		assert.Equal(t, 1.0, second.verdict("run")["tool_correctness.score"], "c2 was acknowledged and is expected: %v", second.verdict("run"))
		require.NoError(t, second.Shutdown(context.Background()))
	})
}

// A sender that gives up is no fault of the storage, so the records of closed runs stay.
func TestASenderThatGivesUpDoesNotCostTheQueues(t *testing.T) {
	g := newMemoryStorage()
	g.ask(func(ctx context.Context, _ []*storage.Operation) error { return ctx.Err() })
	synctest.Test(t, func(t *testing.T) {
		first := startOn(t, g, nil)
		require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		first.after(12*time.Second, 2)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, first.ConsumeTraces(ctx, traces(plain("web", "", 1, 2).in(9))), "ordinary spans are not held up")
		time.Sleep(time.Second)
		first.kill()

		second := startOn(t, g, nil)
		require.NoError(t, second.send(tool("late", "run", 5, 6, "lookup")))
		assert.Equal(t, 1, second.total("late_calls"), "the closed run is known from its record")
		require.NoError(t, second.Shutdown(context.Background()))
	})
}

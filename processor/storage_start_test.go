package processor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// If the number of used slots is damaged or lost, the start searches for runs, and the search ends.
func TestRunsAreFoundWithoutTheNumberOfSlots(t *testing.T) {
	for name, slots := range map[string][]byte{
		"zero": {0, 0, 0, 0}, "missing": nil, "all ones": {255, 255, 255, 255},
		"damaged": append(journal.EncodeRecord(journal.KindSlots, time.Time{}, []byte{0, 16, 0}), 1),
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded()
			synctest.Test(t, func(t *testing.T) {
				first := startOn(t, g, nil)
				require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
				first.kill()
				delete(g.entries, journal.SlotsKey)
				if slots != nil {
					g.entries[journal.SlotsKey] = slots
				}

				reads := 0
				g.ask(func(_ context.Context, operations []*storage.Operation) error {
					if reads += len(operations); reads > 50_000 {
						return errors.New("it goes on reading where nothing is")
					}
					return nil
				})
				second := startOn(t, g, nil)
				g.ask(nil)
				assert.Equal(t, 1, second.total("spans_resumed"))
				assert.Zero(t, second.total("records_set_aside"))
				second.after(12*time.Second, 1)
				assert.Equal(t, 1.0, second.verdict("run")["tool_correctness.score"])
				require.NoError(t, second.Shutdown(context.Background()))
			})
		})
	}
}

// A processor can start on a full storage, and releases its spans.
func TestStartOnAFullStorage(t *testing.T) {
	g := newGuarded()
	synctest.Test(t, func(t *testing.T) {
		first := startOn(t, g, nil)
		require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		first.kill()
		g.ask(removalsOnly)
		second := startOn(t, g, nil)
		second.after(12*time.Second, 1)
		assert.Equal(t, 1.0, second.verdict("run")["tool_correctness.score"])
		require.NoError(t, second.Shutdown(context.Background()))
	})
}

// A processor that starts on an empty storage has no evidence from before its start.
func TestARunFromBeforeTheFirstStartWasUnderWay(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		r := begin()
		now := time.Now()
		span := agentrun.Span{
			Start: pcommon.NewTimestampFromTime(now.Add(-time.Minute)), End: pcommon.NewTimestampFromTime(now.Add(time.Minute)),
		}
		assert.True(t, r.wasUnderWay(&agentrun.Run{Anchors: []agentrun.Anchor{{Span: span}}}))
	})
}

// A run whose calls cannot be read is not called complete.
func TestARunWithDamagedEvidenceIsNotComplete(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		first.kill()
		for _, data := range h.entries {
			if e, err := journal.DecodeRecord(data); err == nil && e.Kind == journal.KindEvidence {
				data[len(data)-1] ^= 1
			}
		}
		second := begin()
		second.sent++
		require.Equal(t, 1, second.total("records_set_aside"))
		second.after(12*time.Second, 1)
		assert.Equal(t, false, second.verdict("run")["tool_correctness.complete"], second.verdict("run"))
	})
}

// A record that was written while the clock was ahead does not make the waits of other runs end at once.
func TestARecordFromTheFuture(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		ahead := time.Now().Add(24 * time.Hour)
		h.entries[journal.KeyOfSlot(4000)] = journal.EncodeRecord(journal.KindParentsByProcess, ahead, journal.EncodeParents(&lookup.ParentBatch{}))
		require.NoError(t, first.send(agent("run", "", 1, 10)))
		other := record.NewEvidence(&first.run.Settings, traceID(9))
		other.AddParent(agentrun.Span{ID: spanID("web")})
		first.journal.Add(ahead, other.Bytes())
		require.NoError(t, first.journal.Commit(t.Context()))
		first.kill()
		time.Sleep(time.Hour)

		second := begin()
		second.sent++
		second.after(time.Second, 0)
		require.NoError(t, second.send(tool("call", "run", 3, 4, "search")))
		second.after(20*time.Second, 2)
		assert.Equal(t, 1.0, second.verdict("run")["tool_correctness.score"])
		assert.Equal(t, true, second.verdict("run")["tool_correctness.complete"])
	})
}

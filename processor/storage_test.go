package processor

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
)

// host has a memory storage as its only extension, and takes the status of a processor.
type host struct {
	*memoryStorage
	statuses []componentstatus.Status
}

func (h *host) Report(event *componentstatus.Event) { h.statuses = append(h.statuses, event.Status()) }

func stored(set *Settings, _ *sink) {
	set.Storage, set.ID = &memoryStorageID, component.MustNewID("tool_correctness")
}

// withStorage runs a test on a clock of its own. Each call of begin starts a processor on the same storage, as after a
// crash of the one before.
func withStorage(t *testing.T, h *host, test func(t *testing.T, begin func() *rig)) {
	synctest.Test(t, func(t *testing.T) {
		var running []*rig
		test(t, func() *rig {
			r := newRig(t, stored)
			require.NoError(t, r.Start(t.Context(), h))
			running = append(running, r)
			return r
		})
		for _, r := range running[:len(running)-1] {
			require.NoError(t, r.halt(context.Background()))
			require.NoError(t, r.telemetry.Shutdown(context.Background()))
		}
		last := running[len(running)-1]
		require.NoError(t, last.Shutdown(context.Background()))
		last.conserved()
	})
}

// kill ends a processor like a crash.
func (r *rig) kill() {
	require.NoError(r.t, r.halt(context.Background()))
}

func TestOpenRunsSurviveACrash(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		require.NoError(t, first.send(plain("web", "run", 2, 9), tool("call", "web", 3, 4, "search")))
		require.NoError(t, first.send(agent("run", "", 1, 10)))
		first.after(7*time.Second, 2)
		first.kill()
		time.Sleep(time.Hour)

		second := begin()
		second.sent++
		assert.Equal(t, 1, second.total("spans_resumed"))
		second.after(9*time.Second, 0) // the wait is that of a run which has just come
		second.after(2*time.Second, 1)
		assert.Equal(t, 1.0, second.verdict("run")["tool_correctness.score"])
		assert.Equal(t, "anchor", second.verdict("run")["tool_correctness.closed_by"])
		assert.Equal(t, true, second.verdict("run")["tool_correctness.complete"])

		require.NoError(t, second.send(tool("late", "run", 5, 6, "lookup")))
		second.kill()
		third := begin()
		require.NoError(t, third.send(tool("later", "run", 5, 6, "lookup")))
		assert.Equal(t, 1, third.total("late_calls"), "what has closed is remembered")
		third.after(time.Hour, 1)
	})
	assert.Empty(t, h.statuses)
}

func TestASpanIsAcknowledgedOnlyOnceItIsStored(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		r := begin()
		h.ask(noWrites)
		for range 3 {
			err := r.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search"))
			require.ErrorIs(t, err, errFull)
			assert.False(t, consumererror.IsPermanent(err))
		}
		assert.Zero(t, r.sink.got(), "nothing goes on before all of the batch is stored")
		require.NoError(t, r.send(plain("web", "", 1, 2).in(2)), "ordinary spans are not held up")
		assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, h.statuses)
		assert.Equal(t, 3, r.total("storage_errors"))

		h.ask(nil)
		require.NoError(t, r.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, h.statuses)
		r.after(11*time.Second, 3)
	})
}

func TestWhatCannotBeReleasedAtShutdownStaysInTheStorage(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, stored)
		require.NoError(t, r.Start(t.Context(), h))
		require.NoError(t, r.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		r.sink.refuse(errFull)
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		require.NoError(t, r.Shutdown(ctx))
		assert.Equal(t, 1, r.total("spans_suspended"))
		assert.Zero(t, h.open)
		r.sent-- // it is still in the storage
		r.conserved()

		r = newRig(t, stored)
		require.NoError(t, r.Start(t.Context(), h))
		r.sent++
		r.after(11*time.Second, 1)
		assert.Equal(t, 1.0, r.verdict("run")["tool_correctness.score"])
		assert.Equal(t, "anchor", r.verdict("run")["tool_correctness.closed_by"])
		require.NoError(t, r.Shutdown(context.Background()))
		r.conserved()
	})
}

// When the storage is full, obsolete records are deleted first, then those that only few runs need.
func TestAFullStorageTakesRunsAgain(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	h.room = 20_000
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		r := begin()
		refused := 0
		for n := range byte(200) {
			batch := []span{agent("run", "", 1, 10).in(n), tool("call", "run", 3, 4, "search").in(n)}
			for i := range 20 {
				batch = append(batch, plain("web"+strconv.Itoa(i), "", 1, 2).in(n))
			}
			for inARow := 1; r.send(batch...) != nil; inARow++ {
				require.Less(t, inARow, 30, "open runs have closed, and their records are still not removed")
				refused++
				time.Sleep(time.Second) // runs close meanwhile
			}
		}
		require.Positive(t, refused, "it was full")
		require.Less(t, refused, 200, "a batch is refused once at most, on average")
		r.after(time.Minute, 200*22)
	})
	require.Empty(t, h.records())
}

// A storage that refuses all writes does not block the shutdown: what is held was stored before.
func TestShutdownWithAStorageThatFails(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		h.ask(noWrites)
		require.NoError(t, first.Shutdown(context.Background()))
		h.ask(nil)
		second := begin()
		second.sent++
		second.after(12*time.Second, 1)
		require.Equal(t, true, second.verdict("run")["tool_correctness.complete"])
	})
}

// A record that cannot be read loses only its own contents.
func TestRecordsThatCannotBeReadAreSetAside(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		require.NoError(t, first.send(agent("other", "", 1, 10).in(2)))
		_, err := first.journal.Write(t.Context(), time.Now(), [][]byte{[]byte("no evidence")}, nil)
		require.NoError(t, err)
		first.kill()
		stored := h.records()
		require.Len(t, stored, 3)
		future := slices.Clone(h.entries[stored[0]])
		future[0]++ // the version is the first byte
		h.entries[journal.KeyOfSlot(102)] = future
		noRecord := slices.Concat(h.entries[stored[0]][:1], []byte("no record at all"))
		h.entries[journal.KeyOfSlot(103)] = noRecord

		second := begin()
		second.sent += 2
		assert.Equal(t, 3, second.total("records_set_aside"))
		second.after(11*time.Second, 2)
		assert.Equal(t, 1.0, second.verdict("run")["tool_correctness.score"])
		assert.Equal(t, future, h.entries[journal.KeyOfSlot(102)], "the record of another version is left alone")
		assert.Contains(t, slices.Collect(maps.Values(h.entries)), noRecord, "it is kept elsewhere")
		assert.NotEqual(t, noRecord, h.entries[journal.KeyOfSlot(103)])
	})
}

func TestStartFailsWithoutAStorageThatCanBeRead(t *testing.T) {
	start := func(h component.Host) error {
		r := newRig(t, stored)
		err := r.Start(t.Context(), h)
		require.NoError(t, r.Shutdown(t.Context()))
		require.NoError(t, r.telemetry.Shutdown(t.Context()))
		return err
	}
	require.ErrorContains(t, start(componenttest.NewNopHost()), `there is no extension "file_storage"`)
	v := newMemoryStorage()
	v.ask(noneOf(storage.Get))
	require.ErrorIs(t, start(v), errFull)
	assert.Zero(t, v.open, "clients that are still open")
}

// What a storage did not take when runs closed is done once it takes writes again, without another batch: the records are removed, and
// the next start knows that the runs have closed.
func TestWhatAStorageDidNotTakeIsDoneLater(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "run", 3, 4, "search")))
		h.ask(noWrites)
		first.after(12*time.Second, 2)
		require.NotEmpty(t, h.records(), "the removal was refused")
		h.ask(nil)
		first.after(2*time.Second, 2)
		require.Empty(t, h.records())
		first.kill()

		second := begin()
		require.Zero(t, second.total("spans_resumed"))
		require.NoError(t, second.send(tool("late", "run", 5, 6, "lookup")))
		require.Equal(t, 1, second.total("late_calls"), "the run is known to have closed")
	})
}

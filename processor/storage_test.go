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
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
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

// A processor can start on a full storage, and releases its spans.
func TestStartOnAFullStorage(t *testing.T) {
	g := newMemoryStorage()
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
		span := evidence.Span{
			Start: pcommon.NewTimestampFromTime(now.Add(-time.Minute)), End: pcommon.NewTimestampFromTime(now.Add(time.Minute)),
		}
		assert.True(t, r.wasUnderWay(&span))
	})
}

// A model call that asked for nothing is no evidence that is stored before its trace has an agent. So an agent that only delegates may
// look like a wrapper after a crash, and is a run in doubt.
func TestAnAgentThatDelegatedBeforeACrashIsARun(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		require.NoError(t, first.send(agent("other", "", int(time.Now().Unix()), int(time.Now().Unix())).in(2))) // the storage knows of a past
		first.after(20*time.Second, 1)
		now := int(time.Now().Unix())
		require.NoError(t, first.send(model("asks", "chief", now-2, now-1, nil)))
		first.kill()
		second := begin()
		time.Sleep(10 * time.Second)
		require.NoError(t, second.send(agent("chief", "", now-3, now+9), agent("run", "chief", now+2, now+8), tool("call", "run", now+3, now+4, "search"),
			model("later", "run", now+4, now+5, nil)))
		second.after(20*time.Second, 4)
		require.Equal(t, []any{"restarted"}, second.verdict("chief")["tool_correctness.incomplete_because"])
		require.Equal(t, true, second.verdict("run")["tool_correctness.complete"])
	})
}

// A run whose calls cannot be read is not called complete.
func TestARunWithDamagedEvidenceIsNotComplete(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	withStorage(t, h, func(t *testing.T, begin func() *rig) {
		first := begin()
		now := int(time.Now().Unix())
		require.NoError(t, first.send(agent("run", "", now, now+10), tool("call", "run", now+3, now+4, "search")))
		first.kill()
		damaged := h.records()
		require.NotEmpty(t, damaged)
		data := h.entries[damaged[0]]
		data[len(data)-1] ^= 1
		time.Sleep(time.Second)
		second := begin()
		require.Equal(t, 1, second.total("records_set_aside"))
		require.NoError(t, second.send(agent("run", "", now, now+10)))
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
		require.NoError(t, first.send(agent("run", "", 1, 10)))
		other := evidence.Trace{Key: evidence.Key{Trace: traceID(9)}, Links: []evidence.Link{{ID: spanID("web")}}}
		body, err := other.AppendBinary(nil)
		require.NoError(t, err)
		_, err = first.journal.Write(t.Context(), ahead, [][]byte{body}, nil)
		require.NoError(t, err)
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
	for _, whole := range []bool{false, true} {
		h := &host{memoryStorage: newMemoryStorage()}
		change := func(s *Settings) { s.Run.WholeTrace = whole }
		synctest.Test(t, func(t *testing.T) {
			first := startOn(t, h, change)
			require.NoError(t, first.send(agent("run", "", 1, 10), tool("call", "unknown", 3, 4, "search")))
			h.ask(noWrites) // so the removal is not written, and the span is held again
			first.after(12*time.Second, 2)
			want := first.verdict("run")
			first.kill()
			h.ask(nil)

			second := startOn(t, h, change)
			require.Equal(t, 1, second.total("spans_resumed"))
			second.after(12*time.Second, 1)
			assert.Equal(t, want, second.verdict("run"), "whole traces: %v", whole)
			require.NoError(t, second.Shutdown(context.Background()))
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

// With a storage, a next consumer that never returns loses no span: Shutdown reports no loss, and gives the storage back.
func TestShutdownWithAConsumerThatNeverAnswers(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		next, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error { <-answer; return nil })
		require.NoError(t, err)
		r := newRig(t, stored)
		r.next = next
		require.NoError(t, r.Start(t.Context(), h))
		require.NoError(t, r.send(agent("run", "", 1, 10)))
		r.after(12*time.Second, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = r.Shutdown(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotContains(t, err.Error(), "lost")
		assert.Zero(t, h.open)

		second := startOn(t, h, nil)
		assert.Equal(t, 1, second.total("spans_resumed"))
		require.NoError(t, second.Shutdown(context.Background()))
		close(answer)
		synctest.Wait()
	})
}

// storedMultiple bounds the stored bytes of a request, in multiples of its size on the wire: see docs/security.md.
const storedMultiple = 4

// For a request of any shape, at most storedMultiple times its size is stored, and nothing once its spans were accepted.
// Records of closed runs have another bound.
func TestNoShapeOfARequestHasMuchStoredOfIt(t *testing.T) {
	for _, s := range someShapes() {
		t.Run(s.name, func(t *testing.T) {
			td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(s.wire(t))
			require.NoError(t, err)
			wire := (&ptrace.ProtoMarshaler{}).TracesSize(td)
			v := newMemoryStorage()
			r := newRig(t, func(set *Settings, _ *sink) {
				stored(set, nil)
				set.Limits = Limits{OpenRuns: 1 << 30, Bytes: 1 << 40}
				if s.change != nil {
					s.change(set)
				}
			})
			r.clock.stop()
			r.host = v
			require.NoError(t, r.openJournal(t.Context(), v))
			require.NoError(t, r.ConsumeTraces(t.Context(), td))
			bytes := memoryClient{v}.sizeAfter(nil)
			t.Logf("%d bytes: %.1f times as much is stored", wire, float64(bytes)/float64(wire))
			require.LessOrEqual(t, bytes, storedMultiple*wire+heldspans.MaxRepeated)
			for range 4 { // runs close, and conversations end
				r.Advance(t.Context(), time.Hour)
			}
			require.NoError(t, r.Shutdown(t.Context()))
			require.Empty(t, v.records())
		})
	}
}

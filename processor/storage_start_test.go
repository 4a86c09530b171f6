package processor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

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

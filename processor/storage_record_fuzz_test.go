package processor

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
)

// FuzzEntries starts a processor on a storage with any bytes: alone, as the body of a record of any kind, and beside valid
// records. The start does not fail, valid records resume, and unreadable ones are counted.
func FuzzEntries(f *testing.F) {
	whole := wholeEntries(f)
	for _, data := range whole {
		if e, err := journal.DecodeRecord(data); err == nil {
			f.Add(byte(e.Kind), e.Body)
		}
		f.Add(byte(0), data)
	}
	f.Fuzz(func(t *testing.T, k byte, data []byte) {
		v := newMemoryStorage()
		maps.Copy(v.entries, whole)
		v.entries[journal.KeyOfSlot(50)] = data
		v.entries[journal.KeyOfSlot(51)] = journal.EncodeRecord(journal.Kind(k), time.Now(), data)
		r := newRig(t, stored)
		r.host = v
		require.NoError(t, r.openJournal(t.Context(), v))
		require.NoError(t, r.resume(t.Context()))
		resumed := r.total("spans_resumed")
		require.GreaterOrEqual(t, resumed, 1)
		r.clock.stop()
		require.NoError(t, r.send(agent("new", "", 1, 10).in(3), tool("call", "new", 2, 3, "search").in(3)))
		r.Advance(t.Context(), time.Hour)
		require.NoError(t, r.Shutdown(t.Context()))
		require.Contains(t, r.sink.spans, spanID("run"))
		require.Contains(t, r.sink.spans, spanID("new"))
		r.sent += resumed
		r.conserved()
	})
}

// wholeEntries are the records of a processor after a crash.
func wholeEntries(f *testing.F) map[string][]byte {
	v := newMemoryStorage()
	r := newRig(f, func(s *Settings, sink *sink) { // the next one does without, and takes what it finds all the same
		stored(s, sink)
		s.AnnotateCalls = true
	})
	require.NoError(f, r.openJournal(f.Context(), v))
	require.NoError(f, r.resume(f.Context()))
	for _, batch := range [][]span{
		{plain("web", "run", 2, 9), tool("call", "web", 3, 4, "search").with("gen_ai.tool.call.id", "call_abcdefgh")},
		{agent("other", "", 1, 10).in(4), agent("another", "", 1, 10).in(5)},
		{agent("run", "", 1, 10).with("session.id", "a"), protocol("mcp", "", 3, 4, "search").in(2)},
		{model("llm", "run", 2, 3, []string{"call_abcdefgh"}, "lookup call_ijklmnop")},
	} {
		td := traces(batch...)
		if len(batch) > 1 {
			td.ResourceSpans().At(0).Resource().Attributes().PutStr("x", strings.Repeat("x", 1000))
		}
		require.NoError(f, r.ConsumeTraces(f.Context(), td))
	}
	require.NoError(f, r.telemetry.Shutdown(f.Context()))
	return v.entries
}

package processor

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
)

var update = flag.Bool("update", false, "write the records and verdicts of this build over testdata/pins/current")

// pinnedStore is a storage and the verdicts that its records lead to.
type pinnedStore struct {
	// Records are the values of a storage by key.
	Records map[string][]byte `json:"records"`
	// Verdicts are the attributes of each copy of each span that comes out after the start, by span id.
	Verdicts map[string][]map[string]any `json:"verdicts"`
}

// pinnedSettings compare payloads, hold the spans of calls, and correlate conversations, so that records of all kinds
// are written.
func pinnedSettings(s *Settings, _ *sink) {
	s.Run.KeepArguments, s.Run.KeepOutput = true, true
	s.Run.Conversations = true
	s.AnnotateCalls = true
}

// pinnedPlay leaves a storage with a record of every kind and a fact of every kind. The time is that of a bubble.
func pinnedPlay(t *testing.T) *memoryStorage {
	v := newMemoryStorage()
	s := newCrashPlay(t, pinnedSettings, v)
	random := rand.New(rand.NewPCG(4, 2))
	send := func(spans []span) {
		for _, batch := range batched(random, spans) {
			require.NoError(t, s.ConsumeTraces(t.Context(), sortedAttributes(traces(batch...))))
		}
	}
	closedRound := roundOf(random, 0)
	send(append(closedRound, conversationless(20)...))
	for range 3 {
		s.elapse(t.Context(), 2*time.Minute)
	}
	send(roundOf(random, 3))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s.refusal = errNotNow // the runs of this round close, and are not released
	s.elapse(gone, 11*time.Second)
	s.refusal = nil
	send(append(roundOf(random, 6), stepsBelowATool(21)...)) // and those of this one are open
	shared := traces(agent("one of two", "", 1, 9).in(30), agent("two of two", "", 1, 9).in(31))
	shared.ResourceSpans().At(0).Resource().Attributes().PutStr("host.name", strings.Repeat("x", 1000))
	require.NoError(t, s.ConsumeTraces(t.Context(), shared))
	require.NoError(t, s.telemetry.Shutdown(t.Context()))
	return v
}

// sortedAttributes puts the attributes of all spans in the order of their keys, because they come from maps.
func sortedAttributes(td ptrace.Traces) ptrace.Traces {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				raw, sorted := span.Attributes().AsRaw(), pcommon.NewMap()
				for _, key := range slices.Sorted(maps.Keys(raw)) {
					value, _ := span.Attributes().Get(key)
					value.CopyTo(sorted.PutEmpty(key))
				}
				sorted.MoveTo(span.Attributes())
			}
		}
	}
	return td
}

// conversationless is a run that is kept for model calls of its process, because one arrived with it.
func conversationless(trace byte) []span {
	return []span{
		agent("lonely", "", 1, 30).in(trace),
		tool("lonely tool", "lonely", 2, 3, "search").with("gen_ai.tool.call.arguments", `{"q":"a"}`).in(trace),
		model("step", "", 1, 2, nil, "search call_abcdefghij").in(trace + 10),
		protocol("echo", "", 2, 3, "search").in(trace + 11),
	}
}

// stepsBelowATool is a tool below which an agent took steps. Its trace stays open.
func stepsBelowATool(trace byte) []span {
	step := span{id: "inner step", parent: "outer tool", start: 4, end: 5, attributes: map[string]any{"openinference.span.kind": "LLM",
		"llm.input_messages.0.message.role": "tool", "llm.input_messages.0.message.tool_call_id": "call_zzzzzzzzzz",
		"llm.input_messages.0.message.content": "42"}}
	return []span{
		agent("outer", "", 1, 30).in(trace),
		tool("outer tool", "outer", 2, 9, "ask_expert").in(trace),
		{id: "session", parent: "outer tool", start: 3, end: 8, trace: trace, attributes: map[string]any{"gen_ai.operation.name": "chat"}},
		step.in(trace),
		plain("ordinary", "nobody", 1, 2).in(trace + 1),
	}
}

// resumed starts a processor on records and returns the released spans.
func resumed(t *testing.T, records map[string][]byte) map[string][]map[string]any {
	v := newMemoryStorage()
	v.entries = maps.Clone(records)
	s := newCrashPlay(t, pinnedSettings, v)
	for range 8 {
		s.elapse(t.Context(), 2*time.Minute)
	}
	s.end()
	require.NoError(t, s.telemetry.Shutdown(t.Context()))
	assert.Zero(t, s.total("records_set_aside"), "records that cannot be read")
	out := map[string][]map[string]any{}
	for id, copies := range s.out {
		out[id.String()] = copies
	}
	return out
}

func pinned(t *testing.T, name string) pinnedStore {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "pins", name+".json.gz"))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	var p pinnedStore
	require.NoError(t, json.Unmarshal(data, &p))
	return p
}

func (p pinnedStore) write(t *testing.T, name string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	require.NoError(t, json.NewEncoder(z).Encode(p))
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join("testdata", "pins", name+".json.gz"), b.Bytes(), 0o644))
}

// asJSON is v as a JSON decoder returns it.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	var decoded any
	require.NoError(t, json.Unmarshal(data, &decoded))
	return decoded
}

// withoutReasons drops the reasons, because a later build may word them differently.
func withoutReasons(spans map[string][]map[string]any) map[string][]map[string]any {
	for _, copies := range spans {
		for _, attributes := range copies {
			maps.DeleteFunc(attributes, func(key string, _ any) bool { return strings.HasSuffix(key, ".reason") })
		}
	}
	return spans
}

// The records of every released build resume to the verdicts that this build gave.
func TestStoredRunsResumeAfterAnUpgrade(t *testing.T) {
	for _, build := range []string{"0.1.0"} {
		t.Run(build, func(t *testing.T) {
			p := pinned(t, build)
			var got map[string][]map[string]any
			synctest.Test(t, func(t *testing.T) { got = resumed(t, p.Records) })
			assert.Equal(t, asJSON(t, withoutReasons(p.Verdicts)), asJSON(t, withoutReasons(got)))
		})
	}
}

// The bytes of all records are pinned, so that encoder and decoder cannot change together unnoticed.
func TestStoredBytesDoNotChange(t *testing.T) {
	var now pinnedStore
	synctest.Test(t, func(t *testing.T) { now.Records = pinnedPlay(t).entries })
	synctest.Test(t, func(t *testing.T) { now.Verdicts = resumed(t, now.Records) })
	if *update {
		now.write(t, "current")
	}
	kinds := map[journal.Kind]int{}
	for key, record := range now.Records {
		e, err := journal.DecodeRecord(record)
		require.NoError(t, err, key)
		kinds[e.Kind]++
	}
	for k := journal.KindEvidence; k <= journal.KindParentsByProcess; k++ {
		assert.Equal(t, k != journal.KindParents, kinds[k] > 0, "records of kind %d, of which only an earlier build wrote the links", k)
	}
	p := pinned(t, "current")
	want, got := unordered(t, p.Records), unordered(t, now.Records)
	assert.Equal(t, slices.Sorted(maps.Keys(p.Records)), slices.Sorted(maps.Keys(now.Records)), "keys")
	assert.Len(t, got, len(want), "records")
	for i := range min(len(want), len(got)) {
		assert.Equal(t, want[i], got[i], "the record %d of all in order", i)
	}
	assert.Equal(t, asJSON(t, p.Verdicts), asJSON(t, now.Verdicts))
}

// unordered are the records in the order of their bytes: which slot one has depends on the seed that chooses shards. The
// facts of a trace are in any order, because some are written from maps, so their bytes are sorted.
func unordered(t *testing.T, records map[string][]byte) []string {
	t.Helper()
	var all []string
	for _, stored := range records {
		e, err := journal.DecodeRecord(stored)
		require.NoError(t, err)
		if e.Kind == journal.KindEvidence {
			_, err := record.TraceOf(e.Body)
			require.NoError(t, err)
			stored = append(slices.Clone(stored[:1]), stored[5:]...) // without the checksum
			slices.Sort(stored)
		}
		all = append(all, string(stored))
	}
	slices.Sort(all)
	return all
}

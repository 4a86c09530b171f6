package processor

import (
	"bufio"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// maxWire bounds the requests of FuzzConsumeTraces: larger ones are slower, and say nothing new.
const maxWire = 1 << 16

// FuzzConsumeTraces takes any bytes that are a request on the wire. The same request arrives twice, as after a lost response,
// and all of its spans are released twice.
func FuzzConsumeTraces(f *testing.F) {
	for _, request := range wireSeeds(f) {
		f.Add(request, uint8(0))
		f.Add(request, uint8(7))
	}
	f.Fuzz(func(t *testing.T, request []byte, mode uint8) {
		if len(request) > maxWire {
			return
		}
		var unmarshaler ptrace.ProtoUnmarshaler
		first, err := unmarshaler.UnmarshalTraces(request)
		if err != nil {
			return // the receiver refuses it
		}
		again, err := unmarshaler.UnmarshalTraces(request)
		require.NoError(t, err)
		spans := first.SpanCount()

		r := newRig(t, func(s *Settings, sink *sink) {
			s.Run.Sources = runs.Sources(mode % 3)
			s.Run.Include = mode&4 != 0
			s.Run.WholeTrace = mode&24 == 8
			s.Run.Conversations = mode&24 == 16
			s.Run.KeepArguments, s.Run.KeepOutput = true, true
			s.ConversationAttributes = []string{"session.id"}
			sink.mutates = mode&32 != 0
		})
		r.DryRun(func(evaluate.Report) {})
		for _, td := range []ptrace.Traces{first, again} {
			require.NoError(t, r.ConsumeTraces(t.Context(), td))
			r.sent += spans
			r.Advance(t.Context(), 8*time.Second)
		}
		require.NoError(t, r.Shutdown(t.Context()))
		require.Equal(t, 2*spans, r.sink.got(), "spans that came out")
		r.conserved()
	})
}

// wireSeeds are requests of each kind of span that the tests make, and recorded ones.
func wireSeeds(f *testing.F) [][]byte {
	requests := []ptrace.Traces{
		traces(agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), plain("s", "a", 4, 5)),
		traces(model("m", "a", 1, 2, []string{"call_abcdefgh1"}, "search call_abcdefgh2"), agent("a", "", 1, 9)),
		traces(protocol("p", "c", 2, 3, "search"), tool("c", "c", 2, 3, "search").with("gen_ai.tool.call.id", "call_abcdefgh1")),
		traces(span{id: "w", end: 9, attributes: map[string]any{"gen_ai.operation.name": "invoke_workflow", "session.id": "s"}}),
	}
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "traces", "*.jsonl"))
	require.NoError(f, err)
	require.NotEmpty(f, paths)
	for _, path := range paths {
		requests = append(requests, firstRequest(f, path))
	}
	var marshaler ptrace.ProtoMarshaler
	seeds := make([][]byte, len(requests))
	for i, request := range requests {
		seeds[i], err = marshaler.MarshalTraces(request)
		require.NoError(f, err)
	}
	return seeds
}

// firstRequest returns the first line of a recording.
func firstRequest(f *testing.F, path string) ptrace.Traces {
	file, err := os.Open(path)
	require.NoError(f, err)
	defer func() { require.NoError(f, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	require.True(f, lines.Scan(), path)
	var unmarshaler ptrace.JSONUnmarshaler
	request, err := unmarshaler.UnmarshalTraces(lines.Bytes())
	require.NoError(f, err)
	return request
}

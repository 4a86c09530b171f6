package tracebuffer

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The account goes by these sizes. Slices and maps have spare room, so it may be over them, by no more than half.
func TestTheAccountGoesByTheSizesOfTypes(t *testing.T) {
	for name, c := range map[string]struct{ account, size int }{
		"record":   {agentrun.PendingCallBytes, int(unsafe.Sizeof(agentrun.PendingCall{}))},
		"link":     {parents.LinkBytes, int(unsafe.Sizeof(parents.Link{}))},
		"trace":    {traceBytes, int(unsafe.Sizeof(trace{}))},
		"payloads": {agentrun.CallPayloadsBytes, int(unsafe.Sizeof(agentrun.CallPayloads{}))},
		"answer":   {agentrun.ModelResponseBytes, int(unsafe.Sizeof(agentrun.ModelResponse{}))},
		"asked":    {agentrun.ToolRequestBytes, int(unsafe.Sizeof(agentrun.ToolRequest{}))},
		"result":   {agentrun.ToolRequestBytes, int(unsafe.Sizeof(agentrun.ToolResult{}))},
		"told":     {byprocess.ResultBytes, int(unsafe.Sizeof(agentrun.TimedResult{}))},
		"call":     {callBytes, int(unsafe.Sizeof(agentrun.Call{}))},
		"anchor":   {anchorBytes, int(unsafe.Sizeof(waiting{}) + unsafe.Sizeof(deadline{}))},
	} {
		t.Run(name, func(t *testing.T) {
			require.GreaterOrEqual(t, c.account, c.size)
			require.LessOrEqual(t, c.account, c.size*3/2)
		})
	}
}

// shorter is a quarter of n with -short, and n otherwise.
func shorter(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

func spanNumber(n int) pcommon.SpanID {
	return pcommon.SpanID{byte(n), byte(n >> 8), byte(n >> 16), 1}
}

// A run that a limit closed is released, though the wait of its anchor is not over.
func TestALimitLeavesNoDeadlines(t *testing.T) {
	b := newFixture(t, nil)
	before := runtest.Heap()
	for n := range shorter(200_000) {
		s := agentrun.Span{Trace: runtest.TraceNumber(n), ID: spanNumber(n)}
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s, Held: ptrace.NewSpan(), Size: 100})
		b.oldest()
	}
	require.LessOrEqual(t, runtest.Heap()-before, int64(runtest.Little))
	b.done()
}

// A long run leaves no large maps behind it.
func TestALongRunLeavesNothing(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxCalls = 1 << 20 })
	before := runtest.Heap()
	for n := range 200_000 {
		b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: "search"}, Span: agentrun.Span{Trace: runtest.TraceNumber(0), ID: spanNumber(n + 1), Parent: spanNumber(0)}})
	}
	require.Greater(t, runtest.Heap()-before, int64(10*runtest.Little))
	require.Len(t, b.wait(2*time.Minute).Runs, 1)
	require.LessOrEqual(t, runtest.Heap()-before, int64(runtest.Little))
	b.done()
}

// Each name is kept once for all traces, and is not part of a span's memory.
func TestNamesAreShared(t *testing.T) {
	b := newFixture(t, nil)
	sent := map[*byte]bool{}
	for n := range 10 {
		name := string([]byte{'t', byte('0' + n%3)})
		sent[unsafe.StringData(name)] = true
		b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: name}, Span: agentrun.Span{Trace: runtest.TraceNumber(n % 2), ID: spanNumber(n + 1)}})
	}
	runs := b.wait(time.Hour).Runs
	require.Len(t, runs, 2, "one of each trace")
	different := map[*byte]bool{}
	for _, r := range runs {
		require.Len(t, r.Calls, 5)
		for _, c := range r.Calls {
			different[unsafe.StringData(c.Name)] = true
			require.False(t, sent[unsafe.StringData(c.Name)], "the span's memory would stay")
		}
	}
	require.Len(t, different, 3)
}

// A trace that is examined over and over while its root waits does not grow by it.
func TestClosingDoesNotMakeATraceGrow(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.WholeTrace, s.Wait = true, 30*time.Second })
	for i := range 50 {
		b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: "x"}, Span: agentrun.Span{Trace: at("r 0-9").Trace, ID: spanNumber(i), Parent: id("r"), Start: 1, End: 2}})
	}
	locals := []string{"1", "2", "3", "4"}
	for _, local := range locals {
		require.True(t, b.anchor(agentrun.Root, local+"<z 1-2"))
		b.want(b.wait(time.Second))
	}
	require.True(t, b.anchor(agentrun.Root, "r 0-99"))
	b.now = b.now.Add(25 * time.Second)
	size := 0
	for i, local := range locals {
		b.want(b.wait(time.Second), local+" passthrough")
		require.True(t, i == 0 || b.Size() < size, "%d bytes, and %d before the span of %s went", b.Size(), size, local)
		size = b.Size()
	}
}

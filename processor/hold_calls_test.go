package processor

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// leaving sends spans in one call, lets time pass, and returns the names of the spans that came out meanwhile, sorted.
func (r *rig) leaving(d time.Duration, spans ...span) (names []string) {
	r.t.Helper()
	r.sink.mu.Lock()
	earlier, count := r.sink.spans, r.sink.count
	r.sink.spans = map[pcommon.SpanID]ptrace.Span{}
	r.sink.mu.Unlock()
	if len(spans) > 0 {
		require.NoError(r.t, r.send(spans...))
	}
	time.Sleep(d)
	synctest.Wait()
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	require.Len(r.t, r.sink.spans, r.sink.count-count, "a span came out twice")
	for id := range r.sink.spans {
		names = append(names, strings.TrimRight(string(id[:]), "\x00"))
	}
	for id, s := range earlier {
		if _, again := r.sink.spans[id]; !again {
			r.sink.spans[id] = s
		}
	}
	slices.Sort(names)
	return names
}

// The spans of calls leave with their run, and have verdicts of their own. One that comes later does not count.
func TestTheSpansOfCallsAreHeldUntilTheirRunCloses(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		call := tool("call", "web", 3, 4, "search")
		require.Equal(t, []string{"web"}, r.leaving(time.Second, plain("web", "run", 2, 9), call), "it is neither a call nor an agent")
		require.Empty(t, r.leaving(9*time.Second, tool("extra", "run", 5, 6, "lookup"), agent("run", "", 1, 10)), "the wait is ten seconds")
		require.Equal(t, 3, r.total("spans_held"))
		require.Equal(t, []string{"call", "extra", "run"}, r.leaving(2*time.Second), "the wait is over")
		require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("call"), "search is expected")
		require.Equal(t, []string{"tool_correctness unexpected"}, r.callAttributes("extra"), "lookup is not")
		require.Empty(t, r.callAttributes("run"), "it is the span of the run")
		require.Equal(t, 1.0, r.verdict("run")["tool_correctness.score"])

		late := tool("late", "run", 5, 6, "search")
		require.Equal(t, []string{"late"}, r.leaving(0, late), "its parent is a closed run")
		require.Empty(t, r.callAttributes("late"), "it did not count")
		require.Empty(t, r.leaving(0, late, call), "the parent of the copy is no closed run")
		require.Equal(t, []string{"call", "late"}, r.leaving(time.Minute), "their trace is idle, so no other run comes")
	})
}

// manyCalls returns a run whose spans need more than one request.
func manyCalls() (spans []span) {
	for i := range releasebatch.MaxSpans + 100 {
		spans = append(spans, tool("c"+strconv.Itoa(i), "run", 2+i, 3+i, "search"))
	}
	return append(spans, agent("run", "", 1, 2000))
}

func TestARunWithManySpansLeavesInTwoRequests(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		spans := manyCalls()
		require.Len(t, r.leaving(time.Minute, spans...), len(spans))
		require.Equal(t, 2, r.sink.requests)
		require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("c0"), "of the first request")
		require.Equal(t, []string{"tool_correctness unexpected"}, r.callAttributes("c600"), "of the second request")
	})
}

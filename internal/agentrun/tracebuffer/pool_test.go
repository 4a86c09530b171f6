package tracebuffer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The memory of a trace keeps nothing for the next one that uses it.
func TestAReusedTraceKnowsNothing(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxClosed = spareShare })
	b.callWith("c<a 2-3", "call_1", scoring.Call{Name: "search", Arguments: scoring.JSON("{}")})
	b.AddResponse(b.now, agentrun.ModelResponse{Span: at("m<a 1-2"), Requests: []agentrun.ToolRequest{{ID: "call_1", Name: "search"}}})
	b.AddConversation(pcommon.TraceID{1}, 0, "talk")
	b.MarkShared(pcommon.TraceID{1}, 0, 0)
	b.TrackRecord(pcommon.TraceID{1}, 7)
	b.anchor(agentrun.Agent, "a 1-9")
	require.NotEmpty(t, b.wait(10*time.Second).Runs)

	require.Len(t, b.pool.traces, 1)
	spare := *b.pool.traces[0]
	require.Equal(t, spare.room(), b.pool.bytes)
	require.GreaterOrEqual(t, b.Remembered(), b.pool.bytes)
	for _, r := range spare.calls[:cap(spare.calls)] {
		require.Zero(t, r)
	}
	for _, a := range spare.responses[:cap(spare.responses)] {
		require.Zero(t, a)
	}
	for _, w := range spare.waiting[:cap(spare.waiting)] {
		require.Zero(t, w)
	}
	for _, r := range spare.closedRuns[:cap(spare.closedRuns)] {
		require.Zero(t, r)
	}
	require.Positive(t, cap(spare.closedRuns)*cap(spare.calls)*cap(spare.responses)*cap(spare.waiting)*spare.parents.Room())
	spare.parents, spare.calls, spare.responses, spare.waiting, spare.awaitedAnchors, spare.closedRuns = parents.Table{}, nil, nil, nil, nil, nil
	require.Equal(t, trace{}, spare)

	b.call("fetch", "d<x 20-21")
	require.Zero(t, b.pool.bytes)
	require.Empty(t, b.pool.traces)
}

// A trace that a limit closed has a deadline that points to it. It is not used again, so that the deadline finds nothing
// of another trace.
func TestATraceWithADeadlineIsNotReused(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxClosed = spareShare })
	b.call("search", "c<a 2-3")
	b.anchor(agentrun.Agent, "a 1-9")
	require.NotEmpty(t, b.oldest().Runs)
	require.Empty(t, b.pool.traces)
	b.call("fetch", "d<x 20-21")
	require.Empty(t, b.wait(10*time.Second).Runs)
	require.Empty(t, b.pool.traces)
	require.NotEmpty(t, b.wait(10*time.Minute).Runs)
	require.Len(t, b.pool.traces, 1)
}

// A run takes over its trace's list of calls. That does not change what is noted of a call that goes back to the trace.
func TestACallThatGoesBackIsNotCounted(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxClosed = spareShare })
	b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: "search"}, Span: at("c<r 2-3"), Traits: agentrun.Traits{MCP: true, MCPServer: true}})
	require.True(t, b.anchor(agentrun.Root, "r 1-9"))
	require.Empty(t, b.wait(10*time.Second).Runs, "a call that only a server recorded is no run of its root")
	b.call("fetch", "d<x 20-21")
	require.Equal(t, []string{"-: search, fetch (idle!)"}, say(b.wait(10*time.Minute)), "a call that counted for a run is in no other run")
}

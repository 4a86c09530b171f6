package agentrun

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Nothing of a trace is left in the room that the next one takes.
func TestASpareTraceKnowsNothing(t *testing.T) {
	b := newBench(t, func(s *Settings) { s.MaxClosed = spareShare })
	b.callWith("c<a 2-3", "call_1", scoring.Call{Name: "search", Arguments: scoring.JSON("{}")})
	b.Answer(b.now, Answer{Span: at("m<a 1-2"), Asked: []Asked{{ID: "call_1", Name: "search"}}})
	b.Conversation(pcommon.TraceID{1}, 0, "talk")
	b.Joint(pcommon.TraceID{1}, 0)
	b.Note(pcommon.TraceID{1}, 7)
	b.anchor(Agent, "a 1-9")
	require.NotEmpty(t, b.wait(10*time.Second).Runs)

	require.Len(t, b.spare.traces, 1)
	spare := *b.spare.traces[0]
	require.Equal(t, spare.room(), b.spare.bytes)
	require.GreaterOrEqual(t, b.Remembered(), b.spare.bytes)
	for _, r := range spare.calls[:cap(spare.calls)] {
		require.Zero(t, r)
	}
	for _, a := range spare.answers[:cap(spare.answers)] {
		require.Zero(t, a)
	}
	for _, w := range spare.waiting[:cap(spare.waiting)] {
		require.Zero(t, w)
	}
	for _, r := range spare.past[:cap(spare.past)] {
		require.Zero(t, r)
	}
	require.Positive(t, cap(spare.past)*cap(spare.calls)*cap(spare.answers)*cap(spare.waiting)*cap(spare.links))
	spare.links, spare.calls, spare.answers, spare.waiting, spare.expected, spare.past = nil, nil, nil, nil, nil, nil
	require.Equal(t, trace{}, spare)

	b.call("fetch", "d<x 20-21")
	require.Zero(t, b.spare.bytes)
	require.Empty(t, b.spare.traces)
}

// A trace that a limit closed has a deadline that points to it. It is not used again, so that the deadline finds nothing
// of another trace.
func TestATraceWithADeadlineIsNotSpare(t *testing.T) {
	b := newBench(t, func(s *Settings) { s.MaxClosed = spareShare })
	b.call("search", "c<a 2-3")
	b.anchor(Agent, "a 1-9")
	require.NotEmpty(t, b.oldest().Runs)
	require.Empty(t, b.spare.traces)
	b.call("fetch", "d<x 20-21")
	require.Empty(t, b.wait(10*time.Second).Runs)
	require.Empty(t, b.spare.traces)
	require.NotEmpty(t, b.wait(10*time.Minute).Runs)
	require.Len(t, b.spare.traces, 1)
}

// A run takes its trace's list of calls over. What is noted of a call that goes back to the trace is not changed by that.
func TestACallThatGoesBackIsNotCounted(t *testing.T) {
	b := newBench(t, func(s *Settings) { s.MaxClosed = spareShare })
	b.Call(b.now, Call{Call: scoring.Call{Name: "search"}, Span: at("c<r 2-3"), Doubts: Doubts{Protocol: true, Served: true}})
	require.True(t, b.anchor(Root, "r 1-9"))
	require.Empty(t, b.wait(10*time.Second).Runs, "what only a server told of is no run of its root")
	left := b.traces[pcommon.TraceID{1}].calls
	require.Len(t, left, 1)
	require.False(t, left[0].counted)
}

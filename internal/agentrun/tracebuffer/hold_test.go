package tracebuffer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// Neither does a trace whose closings are restored, each with all runs so far.
func TestMemoryOfAStoredTrace(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxClosed = 64 })
	other, id := runtest.TraceNumber(1), runtest.TraceNumber(2)
	b.decisions.Remember(other, closedruns.Runs{{Span: agentrun.Span{Trace: other, ID: spanNumber(1)}}})
	e := record.NewEvidence(&b.set.Settings, id)
	for n := range 20 {
		e.AddClosedRun(closedruns.Run{Span: agentrun.Span{Trace: id, ID: spanNumber(n)}})
		require.NoError(t, b.RestoreClosed(e.Bytes()))
	}
	require.Len(t, b.decisions.Of(id), 20)
	require.Len(t, b.decisions.Of(other), 1)
}

// A span that arrives at the time of the last one does not change the age of its trace.
func TestRestoredEvidenceDoesNotMakeATraceYounger(t *testing.T) {
	b := newFixture(t, nil)
	old, young := b.now, b.now.Add(time.Second)
	x, y := agentrun.Span{Trace: runtest.TraceNumber(1), ID: spanNumber(1)}, agentrun.Span{Trace: runtest.TraceNumber(2), ID: spanNumber(2)}
	b.AddAgentSpan(old, x, agentrun.Agent)
	b.AddAgentSpan(young, y, agentrun.Agent)
	b.Hold(old, agentrun.Anchor{Span: x})
	seen, _ := b.LastSeen()
	require.Equal(t, old, seen)
}

// Dropped entries of an open trace are not added again when it closes.
func TestAReopenedRunStaysForgotten(t *testing.T) {
	b := newFixture(t, nil)
	run := at("a 1-9")
	e := record.NewEvidence(&b.set.Settings, run.Trace)
	e.AddClosedRun(closedruns.Run{Span: run, Kind: agentrun.Agent})
	require.NoError(t, b.RestoreClosed(e.Bytes()))
	_, closed := b.Closed(agentrun.Anchor{Span: run, Kind: agentrun.Agent})
	require.True(t, closed)
	require.True(t, b.call("x", "1<q 20-21")) // opens the trace again
	b.Reopen(agentrun.Anchor{Span: run, Kind: agentrun.Agent})
	b.want(b.wait(2*time.Minute), "-: x (idle!)")
	_, closed = b.Closed(agentrun.Anchor{Span: run, Kind: agentrun.Agent})
	require.False(t, closed)
}

package tracebuffer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The record of a closing has all that the rest of the trace needs. A buffer that restores only this record continues like
// the first one.
func TestARemainderContinuesLikeTheTrace(t *testing.T) {
	stored := func(s *Settings) { s.Stored = true }
	first := newFixture(t, stored)
	span := func(spec string, kind agentrun.AnchorKind) {
		first.AddAgentSpan(first.now, at(spec), kind)
		first.Hold(first.now, agentrun.Anchor{Span: at(spec), Kind: kind, Held: ptrace.NewSpan()})
		first.held++
	}
	call := func(b *fixture, spec, name string) (late bool) {
		_, late = b.AddCall(b.now, agentrun.Call{Span: at(spec), Call: scoring.Call{Name: name}})
		return late
	}
	call(first, "x<b 2-3", "inner")
	call(first, "y<a 5-6", "outer")
	first.AddParent(first.now, at("b<a 1-4"))
	first.TrackRecord(at("a 0-9").Trace, 7)
	span("b<a 1-4", agentrun.Agent)
	first.now = first.now.Add(6 * time.Second)
	h := first.duly()
	assert.Equal(t, []string{"b: inner (anchor)"}, say(h), "y is the call of a, which is open")
	require.Len(t, h.Checkpoints, 1)
	r := h.Checkpoints[0]
	assert.Equal(t, []uint32{7}, r.Records, "the checkpoint replaces the records of the trace")
	assert.Nil(t, r.Closed, "the trace is open")

	second := newFixture(t, stored)
	_, err := second.Restore(second.now, r.Remainder)
	require.NoError(t, err)
	call(second, "z<b 2-3", "late")
	second.AddAgentSpan(second.now, at("a 0-9"), agentrun.Agent)
	second.Hold(second.now, agentrun.Anchor{Span: at("a 0-9"), Kind: agentrun.Agent, Held: ptrace.NewSpan()})
	second.now = second.now.Add(6 * time.Second)
	h = second.duly()
	assert.Equal(t, []string{"a: outer (anchor)"}, say(h), "inner counted for b, and z was late")
	assert.Len(t, h.Late, 1, "the call of the run that has closed")
	require.Len(t, h.Checkpoints, 1)
	assert.Nil(t, h.Checkpoints[0].Remainder, "the trace is closed")

	third := newFixture(t, stored)
	require.NoError(t, third.RestoreClosed(h.Checkpoints[0].Closed))
	assert.True(t, call(third, "z<b 2-3", "late"), "the record of a closed trace has its runs")
	assert.Zero(t, third.Open(), "a late call opens no trace")
}

// A trace with too many waiting calls is truncated in the record of a closing as in memory. The rest has the same verdicts in
// a buffer that continues and in one that restored the record.
func TestARemainderOfATraceThatWasTruncated(t *testing.T) {
	stored := func(s *Settings) { s.Stored, s.MaxCalls = true, 3 }
	first := newFixture(t, stored)
	hold := func(b *fixture, spec string) {
		b.AddAgentSpan(b.now, at(spec), agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: at(spec), Kind: agentrun.Agent, Held: ptrace.NewSpan()})
	}
	first.AddParent(first.now, at("b<a 1-2"))
	hold(first, "b<a 1-2")
	first.TrackRecord(at("a 0-9").Trace, 7)
	for _, spec := range []string{"x<a 2-3", "y<a 3-4", "z<a 4-5", "u<a 5-6"} {
		first.call("search", spec)
	}
	h := first.wait(6 * time.Second)
	require.Len(t, h.Checkpoints, 1)

	second := newFixture(t, stored)
	_, err := second.Restore(second.now, h.Checkpoints[0].Remainder)
	require.NoError(t, err)
	rest := func(b *fixture) []string {
		hold(b, "a 0-9")
		return say(b.wait(6 * time.Second))
	}
	want := rest(first)
	assert.Len(t, want, 1, "the run of a")
	assert.Equal(t, want, rest(second), "the limit on calls counts what was restored")
}

func FuzzRestore(f *testing.F) {
	f.Add(runtest.Pinned(f, "remainder"))
	f.Add(runtest.Pinned(f, "closed"))
	f.Fuzz(func(t *testing.T, evidence []byte) {
		b := newFixture(t, func(s *Settings) { s.Stored = true })
		if _, err := b.Restore(b.now, evidence); err != nil {
			require.ErrorIs(t, err, record.ErrEvidence)
			require.Zero(t, b.Open(), "bytes that are no evidence change nothing")
		}
		_ = b.RestoreClosed(evidence)
		left := b.drain()
		for _, r := range left.Checkpoints { // what it leaves can be read again
			if r.Remainder != nil {
				_, err := record.Decode(r.Remainder)
				require.NoError(t, err)
			}
		}
		require.Zero(t, b.Size())
	})
}

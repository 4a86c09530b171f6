package summaries_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/summaries"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// runOf is a run of process 1 with one call of x.
func runOf(spec, callID, arguments string) agentrun.Run {
	s := runtest.At(spec)
	s.Process = 1
	c := agentrun.Call{Call: scoring.Call{Name: "x"}, CallID: callID, Span: s}
	if arguments != "" {
		c.Arguments = scoring.JSON(arguments)
	}
	return agentrun.Run{Complete: true, Anchors: []agentrun.Anchor{{Span: s}}, Calls: []agentrun.Call{c}}
}

// stepOf is a step of process 1 that asked for x.
func stepOf(spec, callID, arguments string) agentrun.Run {
	r := runOf(spec, callID, arguments)
	r.Step, r.Anchors[0].Kind = true, agentrun.Root
	return r
}

const id, otherID = "call_abcdefgh", "call_ijklmnop"

// A step has the calls of an agent's run only if no content says that it has others.
func TestContentDecidesBeforeNamesDo(t *testing.T) {
	for _, tc := range []struct {
		name   string
		agent  agentrun.Run
		step   agentrun.Run
		has    bool
		reason string
	}{
		{"no content", runOf("a 1-9", "", ""), stepOf("s 1-2", "", ""), true, "name, time and process agree"},
		{"an agent without content", runOf("a 1-9", "", ""), stepOf("s 1-2", id, `{"k":1}`), true, "nothing speaks against it"},
		{"a model without content", runOf("a 1-9", id, `{"k":1}`), stepOf("s 1-2", "", ""), true, "the same"},
		{"one ID", runOf("a 1-9", id, `{"k":1}`), stepOf("s 1-2", id, `{"k":1}`), true, "the ID says so"},
		{"two IDs", runOf("a 1-9", id, ""), stepOf("s 1-2", otherID, ""), false, "each call has one ID"},
		{"arguments without IDs", runOf("a 1-9", "call_0", `{"k":1}`), stepOf("s 1-2", "call_0", `{"k":2}`), false, "names alone do not decide about content"},
		{"another time", runOf("a 1-9", "", ""), stepOf("s 10-12", "", ""), false, "it is after the run"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := summaries.New(summaries.Settings{}, new(compare.Work))
			c.Remember(0, &tc.agent)
			require.Equal(t, tc.has, c.Has(&tc.step, []agentrun.Run{tc.step}), tc.reason)
			require.True(t, tc.step.Complete, tc.reason)
		})
	}
}

// If several steps match one run, no verdict of them is complete, whichever comes first.
func TestNoVerdictOnOneOfSeveralStepsIsComplete(t *testing.T) {
	c := summaries.New(summaries.Settings{}, new(compare.Work))
	agent, first, second := runOf("a 1-9", "", ""), stepOf("s 1-2", id, ""), stepOf("t 1-3", otherID, "")
	c.Remember(0, &agent)
	require.True(t, c.Has(&first, []agentrun.Run{first}))
	require.False(t, c.Has(&second, []agentrun.Run{second}), "the run has one call")
	require.False(t, second.Complete, "it may be the run's, and the first one may be none")
}

// After a restart the content of a run is not known. So a step with an ID may have other calls.
func TestARestoredRunTakesNoVerdictFromAStepWithIDs(t *testing.T) {
	var stored []byte
	agent := runOf("a 1-9", otherID, "")
	before := summaries.New(summaries.Settings{OnSummary: func(evidence []byte) { stored = evidence }}, new(compare.Work))
	before.Remember(0, &agent)
	after := summaries.New(summaries.Settings{}, new(compare.Work))
	require.NoError(t, after.Restore(0, stored))
	step := stepOf("s 1-2", id, "")
	require.False(t, after.Has(&step, []agentrun.Run{step}))
	require.False(t, step.Complete, "the agent's run may have no ID")
}

// senders knows one process, or says that it may have forgotten it.
type senders struct{ known, forgot bool }

func (senders) Add(pcommon.Timestamp, agentrun.Process)                     {}
func (s senders) Has(agentrun.Process) bool                                 { return s.known }
func (s senders) MayHaveForgotten(agentrun.Process, pcommon.Timestamp) bool { return s.forgot }

// Runs of a process without steps are not remembered. If its steps may be forgotten, a step depends on others.
func TestOnlyRunsOfSendersAreRemembered(t *testing.T) {
	for _, tc := range []struct {
		senders    senders
		remembered bool
		depends    bool
	}{
		{senders{known: true}, true, false},
		{senders{}, false, false},
		{senders{forgot: true}, false, true},
	} {
		c := summaries.New(summaries.Settings{Senders: tc.senders}, new(compare.Work))
		agent, step := runOf("a 1-9", "", ""), stepOf("s 1-2", "", "")
		c.Remember(0, &agent)
		require.Equal(t, tc.remembered, c.Bytes() > 0)
		require.Equal(t, tc.remembered, c.Has(&step, []agentrun.Run{step}))
		require.Equal(t, tc.depends, step.DependsOnOthers)
	}
}

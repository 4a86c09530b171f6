package lookup

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Other senders make no process a sender. A sender is forgotten only behind many others, and then the table says so.
func TestStepSendersAreBounded(t *testing.T) {
	const victim = agentrun.Process(1)
	var s StepSenders
	others := func(from, n int) {
		for i := range n {
			s.Add(5, agentrun.Process(from+i))
			require.LessOrEqual(t, len(s.recent)+len(s.former), 2*maxSenders)
		}
	}
	others(1000, maxSenders/2)
	require.False(t, s.Has(victim), "it sent nothing")
	s.Add(10, victim)
	others(100_000, maxSenders)
	require.True(t, s.Has(victim), "it is one of the latest")
	require.False(t, s.MayHaveForgotten(victim, 20), "it was known before")
	s.Add(20, victim)
	others(200_000, maxSenders-1)
	require.True(t, s.Has(victim), "it came again")
	others(300_000, 2*maxSenders)
	require.False(t, s.Has(victim), "too many came after it")
	require.True(t, s.MayHaveForgotten(victim, 20))
	s.Add(30, victim)
	require.True(t, s.MayHaveForgotten(victim, 20), "a run may have closed before it was known again")
	require.False(t, s.MayHaveForgotten(victim, 40), "it was known then")
}

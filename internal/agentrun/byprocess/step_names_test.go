package byprocess_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// A process may name a bounded number of agents. Each name counts, and frees its bytes when it is removed.
func TestOneProcessNamesABoundedNumberOfAgents(t *testing.T) {
	const most, tried = 1024, 3000
	above := func(i int) agentrun.SpanKey { return agentrun.SpanKey{Process: 1, ID: runtest.SpanOf('a', i)} }
	for claim, add := range map[string]func(s *byprocess.StepNames, i int) int{
		"names":    func(s *byprocess.StepNames, i int) int { return s.Add(above(i), "agent "+strconv.Itoa(i)) },
		"disputes": func(s *byprocess.StepNames, i int) int { return s.Restore(above(i), "") },
		"names, then disputes": func(s *byprocess.StepNames, i int) int {
			return s.Add(above(i), "desk") + s.Add(above(i), "orders") + s.Add(above(i), "desk")
		},
	} {
		t.Run(claim, func(t *testing.T) {
			s, grown, n := new(byprocess.StepNames), 0, 0
			for range 2 {
				for i := range tried {
					grown += add(s, i)
				}
			}
			for range s.All {
				n++
			}
			require.Equal(t, most, n)
			require.Equal(t, grown, s.Bytes())
			require.NotZero(t, s.Add(agentrun.SpanKey{Process: 2, ID: runtest.ID("a")}, "desk"), "what one process sends keeps another from naming its agent")
			for i := range tried {
				s.Forget(above(i))
			}
			s.Forget(agentrun.SpanKey{Process: 2, ID: runtest.ID("a")})
			require.Less(t, s.Bytes(), grown/most*3, "the two processes are left")
		})
	}
}

// The counted bytes are at least those on the heap.
func TestNamesOfStepsCountTheHeap(t *testing.T) {
	before, counted := runtest.Heap(), int64(0)
	all := make([]*byprocess.StepNames, 10)
	for n := range all {
		all[n] = new(byprocess.StepNames)
		for i := range 1024 {
			counted += int64(all[n].Add(agentrun.SpanKey{ID: runtest.SpanOf('a', i)}, "agent "+strconv.Itoa(i)))
		}
	}
	require.LessOrEqual(t, runtest.Heap()-before, counted+runtest.Little)
}

// A step without a parent or a name, and a trace without steps, name no agent.
func TestNoStepNames(t *testing.T) {
	var none byprocess.StepNames
	require.Empty(t, none.Of(agentrun.SpanKey{}))
	require.Zero(t, none.Bytes())
	none.Forget(agentrun.SpanKey{})
	for range none.All {
		t.Error("a trace without steps has a name")
	}
	s := new(byprocess.StepNames)
	require.Zero(t, s.Add(agentrun.SpanKey{Process: 1}, "desk")+s.Restore(agentrun.SpanKey{Process: 1}, "")+s.Add(agentrun.SpanKey{ID: runtest.ID("a")}, ""))
}

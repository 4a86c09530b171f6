package mcptable_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/mcptable"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Goroutines add MCP spans while runs are completed. In the end each call has what its MCP span says.
func TestGoroutinesShareATable(t *testing.T) {
	shop := runtest.ProcessOf("shop")
	table := mcptable.New(agentrun.Settings{})
	seen := func(trace byte) agentrun.Call {
		s := runtest.At("p 2-4")
		s.Trace = pcommon.TraceID{9, trace} // another one than the runs'
		name := string(rune('a' + trace))
		return agentrun.Call{Span: s, Call: scoring.Call{Name: name, Status: scoring.StatusFailed}, Traits: agentrun.Traits{MCP: true}}
	}
	run := func(trace byte) agentrun.Run {
		anchor := runtest.At("a 0-9")
		anchor.Process = shop
		c := agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: seen(trace).Name}}
		return agentrun.Run{Anchors: []agentrun.Anchor{{Span: anchor}}, Calls: []agentrun.Call{c}}
	}
	empty := []agentrun.Run{run(0)}
	table.FillIn(empty)
	require.Equal(t, scoring.StatusUnset, empty[0].Calls[0].Status, "nothing was added")
	var all sync.WaitGroup
	for trace := range byte(8) {
		all.Go(func() {
			table.Add(0, shop, seen(trace))
			table.FillIn([]agentrun.Run{run(trace)})
		})
	}
	all.Wait()
	require.Positive(t, table.Size())
	require.False(t, table.Add(0, shop, seen(3)), "it is known")
	require.Error(t, table.Restore(0, []byte("no evidence")))
	for trace := range byte(8) {
		runs := []agentrun.Run{run(trace)}
		table.FillIn(runs)
		require.Equal(t, scoring.StatusFailed, runs[0].Calls[0].Status, "trace %d", trace)
	}
}

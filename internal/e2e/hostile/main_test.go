package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
)

// What an attack sends stays inside the budget, and every attack sends something.
func TestAttacksAreInsideTheBudget(t *testing.T) {
	names := map[string]bool{}
	for _, a := range attacks() {
		p := newPlan(1)
		a.plan(p)
		require.LessOrEqual(t, p.bytes, budget, a.name)
		require.Equal(t, a.name == "none", p.bytes == 0, a.name)
		require.False(t, names[a.name], a.name)
		names[a.name] = true
		require.Less(t, p.at, 15*time.Second, "%s ends", a.name)
	}
}

// Every attack's configuration is one that the processor takes. The longest take seconds to load, and an attack loads them.
func TestSectionsLoad(t *testing.T) {
	loaded := map[string]bool{}
	for _, a := range attacks() {
		section := a.section()
		if loaded[section] || len(section) > 1<<20 {
			continue
		}
		loaded[section] = true
		p, err := startProcessor(section, consumertest.NewNop())
		require.NoError(t, err, "%s: %s", a.name, section)
		require.NoError(t, p.Shutdown(t.Context()))
	}
}

// Each bound is seen when it is broken.
func TestBoundsAreBroken(t *testing.T) {
	fine := figure{Attack: "x", Bytes: 1, Verdicts: 1}
	require.Empty(t, fine.broken())
	for claim, spoil := range map[string]func(*figure){
		"p99":           func(f *figure) { f.P99 = mostP99 + 1 },
		"max":           func(f *figure) { f.Max = mostLatency + 1 },
		"delay":         func(f *figure) { f.Delay = mostDelay + 1 },
		"memory":        func(f *figure) { f.Live = mostMemory(f.Bytes) + 1 },
		"garbage":       func(f *figure) { f.Heap = mostWithGarbage(f.Bytes) + 1 },
		"lost":          func(f *figure) { f.Lost = 1 },
		"changed":       func(f *figure) { f.Changed = 1 },
		"unjudged":      func(f *figure) { f.Unjudged = 1 },
		"shutdown":      func(f *figure) { f.Shutdown = mostShutdown + 1 },
		"fatal":         func(f *figure) { f.Fatal = "it died" },
		"nothing shown": func(f *figure) { f.Verdicts = 0 },
		"aimless":       func(f *figure) { f.Aimless = true },
	} {
		f := fine
		spoil(&f)
		require.Len(t, f.broken(), 1, claim)
	}
}

// The bounds on memory are those that docs/security.md states: the limit and four times what was sent, and twice that in all.
func TestMemoryIsBoundedAsStated(t *testing.T) {
	const sent = 10_000_000
	f := figure{Attack: "x", Bytes: sent, Verdicts: 1, Live: memoryMiB<<20 + 4*sent, Heap: 2 * (memoryMiB<<20 + 4*sent)}
	require.Empty(t, f.broken())
	f.Live++
	require.Len(t, f.broken(), 1)
	f.Heap++
	require.Len(t, f.broken(), 2)
}

// A busy machine excuses what took long, and nothing else.
func TestBusyMachine(t *testing.T) {
	f := figure{Attack: "x", Verdicts: 1, Busy: 1, P99: 2 * mostP99, Max: 2 * mostLatency}
	require.Empty(t, f.broken())
	f.Lost, f.Delay = 1, 2*mostDelay+1
	require.Len(t, f.broken(), 2)
	require.GreaterOrEqual(t, coresSoFar().busySince(), 0.0)
}

func TestNoSuchAttack(t *testing.T) {
	_, err := run(t.Context(), []string{"-attack", "nothing-of-that-name"}, io.Discard, io.Discard)
	require.ErrorContains(t, err, "there is no attack")
}

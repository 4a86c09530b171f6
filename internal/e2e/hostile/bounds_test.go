//go:build hostile

package hostile

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.uber.org/zap"
)

// What no attack of up to 10 MB may do to the victim.
const (
	mostP99      = 20 * time.Millisecond
	mostLatency  = 250 * time.Millisecond
	mostDelay    = 2 * time.Second
	mostShutdown = 10 * time.Second
)

// mostMemory is what may be alive during an attack: the limit of the processor, and four times what was sent.
func mostMemory(sent int) uint64 { return memoryMiB<<20 + 4*uint64(sent) }

// mostWithGarbage is what an attack may take. Garbage that is not collected yet may be as much again as what is alive.
func mostWithGarbage(sent int) uint64 { return 2 * mostMemory(sent) }

// broken says which bounds a figure breaks.
func (f figure) broken() (found []string) {
	check := func(kept bool, format string, args ...any) {
		if !kept {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	if f.Fatal != "" {
		found = append(found, f.Fatal)
	}
	if f.Verdicts == 0 && f.Fatal == "" {
		found = append(found, "no verdict of the victim came: nothing is shown")
	}
	check(!f.Aimless, "no verdict on a run of the attacker has the reason that the attack aims at: nothing is shown")
	p99, longest := f.excused(mostP99), f.excused(mostLatency)
	check(f.P99 <= p99, "p99 of ConsumeTraces is %s, more than %s", ms(f.P99), ms(p99))
	check(f.Max <= longest, "the longest ConsumeTraces took %s, more than %s", ms(f.Max), ms(longest))
	check(f.Delay <= f.excused(mostDelay), "a verdict came %s late, more than %s", ms(f.Delay), ms(f.excused(mostDelay)))
	check(f.Live <= mostMemory(f.Bytes), "%d MiB are alive, more than %d", f.Live>>20, mostMemory(f.Bytes)>>20)
	check(f.Heap <= mostWithGarbage(f.Bytes), "%d MiB are in use, more than %d", f.Heap>>20, mostWithGarbage(f.Bytes)>>20)
	check(f.Lost == 0, "%d spans of the victim are lost", f.Lost)
	check(f.Changed == 0, "%d verdicts of the victim are wrong and call themselves complete", f.Changed)
	check(f.Unjudged == 0, "%d agents' spans of the victim have no verdict", f.Unjudged)
	check(f.Shutdown <= f.excused(mostShutdown), "the shutdown took %s, more than %s", ms(f.Shutdown), ms(f.excused(mostShutdown)))
	return found
}

// excused is a bound on a time, longer by as much as threads had to wait for a core.
func (f figure) excused(bound time.Duration) time.Duration {
	return time.Duration(float64(bound) * (1 + f.Busy))
}

// hopeless says that a bound is broken by so much that the machine cannot be the reason.
func (f figure) hopeless() bool {
	return f.Fatal != "" || f.Max > 8*f.excused(mostLatency) || f.Delay > 4*f.excused(mostDelay) || f.Live > 2*mostMemory(f.Bytes) ||
		f.Heap > 2*mostWithGarbage(f.Bytes) || f.Lost+f.Changed+f.Unjudged > 0
}

func ms(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// What an attack sends stays inside the budget, and every attack sends something.
func TestAttacksAreInsideTheBudget(t *testing.T) {
	names := map[string]bool{}
	for _, a := range attacks {
		p := a.planned()
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
	for _, a := range attacks {
		section := a.section()
		if loaded[section] || len(section) > 1<<20 {
			continue
		}
		loaded[section] = true
		p, err := makeProcessor(section, consumertest.NewNop(), zap.NewNop())
		require.NoError(t, err, "%s: %s", a.name, section)
		require.NoError(t, p.Shutdown(t.Context()))
	}
}

// Each bound is seen when it is broken.
func TestBoundsAreBroken(t *testing.T) {
	fine := figure{Bytes: 1, outcomes: outcomes{Verdicts: 1}}
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
	f := figure{Bytes: sent, outcomes: outcomes{Verdicts: 1}, Live: memoryMiB<<20 + 4*sent, Heap: 2 * (memoryMiB<<20 + 4*sent)}
	require.Empty(t, f.broken())
	f.Live++
	require.Len(t, f.broken(), 1)
	f.Heap++
	require.Len(t, f.broken(), 2)
}

// A busy machine excuses what took long, and nothing else.
func TestBusyMachine(t *testing.T) {
	f := figure{outcomes: outcomes{Verdicts: 1}, Busy: 1, P99: 2 * mostP99, Max: 2 * mostLatency}
	require.Empty(t, f.broken())
	f.Lost, f.Delay = 1, 2*mostDelay+1
	require.Len(t, f.broken(), 2)
	require.GreaterOrEqual(t, coresSoFar().busySince(), 0.0)
}

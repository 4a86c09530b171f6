package main

import (
	"fmt"
	"time"
)

// What no attack of up to 10 MB may do to the victim.
const (
	mostP99      = 20 * time.Millisecond
	mostLatency  = 250 * time.Millisecond
	mostDelay    = 2 * time.Second
	mostShutdown = 10 * time.Second
)

// busy says by how much latencies may grow on a machine that is busy with something else: so many times what they were before
// the attack. On an idle machine that is far inside the bounds.
const busy = 4

// mostMemory is what an attack may take: the limit of the processor, and four times what was sent.
func mostMemory(sent int) uint64 { return memoryMiB<<20 + 4*uint64(sent) }

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
	p99, longest := max(mostP99, busy*f.QuietP99), max(mostLatency, busy*f.QuietMax)
	check(f.P99 <= p99, "p99 of ConsumeTraces is %s, more than %s", ms(f.P99), ms(p99))
	check(f.Max <= longest, "the longest ConsumeTraces took %s, more than %s", ms(f.Max), ms(longest))
	check(f.Delay <= mostDelay, "a verdict came %s late, more than %s", ms(f.Delay), mostDelay)
	check(f.Live <= mostMemory(f.Bytes), "%d MiB are alive, more than %d", f.Live>>20, mostMemory(f.Bytes)>>20)
	check(f.Lost == 0, "%d spans of the victim are lost", f.Lost)
	check(f.Changed == 0, "%d verdicts of the victim are wrong and call themselves complete", f.Changed)
	check(f.Unjudged == 0, "%d agents' spans of the victim have no verdict", f.Unjudged)
	check(f.Shutdown <= mostShutdown, "the shutdown took %s, more than %s", ms(f.Shutdown), mostShutdown)
	return found
}

// hopeless says that a bound is broken by so much that the machine cannot be the reason.
func (f figure) hopeless() bool {
	return f.Fatal != "" || f.Max > 8*mostLatency || f.Delay > 4*mostDelay || f.Live > 2*mostMemory(f.Bytes) || f.Lost+f.Changed+f.Unjudged > 0
}

func ms(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

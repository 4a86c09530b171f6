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

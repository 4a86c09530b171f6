//go:build hostile

package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"syscall"
	"time"
)

// cores is for how long the threads of this process have run, and have waited for a core, in nanoseconds. Where the system does
// not tell, both are 0.
type cores struct{ ran, waited uint64 }

func coresSoFar() (c cores) {
	files, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is a good one
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		var ran, waited uint64
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			c.ran += ran
			c.waited += waited
		}
	}
	return c
}

// mostBusy bounds what a busy machine excuses.
const mostBusy = 9

// busySince is how many times as long as they ran this process's threads have waited for a core since then. On a machine with
// nothing else to do it is near 0.
func (c cores) busySince() float64 {
	now := coresSoFar()
	if now.ran <= c.ran || now.waited < c.waited {
		return 0
	}
	return min(mostBusy, float64(now.waited-c.waited)/float64(now.ran-c.ran))
}

const (
	// mostHeap ends a child, so that no attack can take the machine's memory.
	mostHeap = 3 << 30
	// mostLive ends it earlier: nothing that is still to come can make it good.
	mostLive = 3 << 29
	// mostAddresses bounds what a child may map at all. Go reserves more than it uses.
	mostAddresses = 5 << 30
	// outOfMemory is the exit code of a child that reached mostHeap.
	outOfMemory = 3
)

// limitMemory keeps this process from taking more memory than a child may have.
func limitMemory() error {
	debug.SetMemoryLimit(mostHeap - 1<<28)
	limit := syscall.Rlimit{Cur: mostAddresses, Max: mostAddresses}
	return syscall.Setrlimit(syscall.RLIMIT_AS, &limit)
}

// A memoryWatch looks at the heap until it is stopped.
type memoryWatch struct {
	base, live, heap uint64
	halt             chan struct{}
	done             sync.WaitGroup
}

const (
	liveHeap = "/gc/heap/live:bytes" // what the last collection found alive
	allHeap  = "/memory/classes/heap/objects:bytes"
)

// watchMemory begins to look. What is alive now does not count.
func watchMemory() *memoryWatch {
	runtime.GC()
	w := &memoryWatch{halt: make(chan struct{})}
	w.base, _ = heap()
	w.done.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-w.halt:
				return
			case <-tick.C:
			}
			live, all := heap()
			w.live, w.heap = max(w.live, live), max(w.heap, all)
			if all > mostHeap || live > mostLive {
				fmt.Fprintf(os.Stderr, "hostile: %d MiB are alive\n", live>>20)
				os.Exit(outOfMemory)
			}
		}
	})
	return w
}

func heap() (live, all uint64) {
	samples := []metrics.Sample{{Name: liveHeap}, {Name: allHeap}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}

// stop returns the most that was alive, and the most that there was, both more than at the beginning.
func (w *memoryWatch) stop() (live, all uint64) {
	close(w.halt)
	w.done.Wait()
	return w.live - min(w.live, w.base), w.heap - min(w.heap, w.base)
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
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

//go:build unix

package rig

import (
	"syscall"
	"time"
)

// CPUTime is the time that all threads of the process have run, in user code and in the kernel. The processors that are
// compared work in goroutines and wait for timers, so the time on the wall says little about their cost.
func CPUTime() (time.Duration, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, err
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}

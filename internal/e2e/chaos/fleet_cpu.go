package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ticks are in a second of /proc/PID/stat, on every Linux that Go runs on.
const ticks = 100

// cpuSeconds is how long a process has run on all cores. Where the system does not say, it is 0.
func cpuSeconds(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name, which may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return (user + system) / ticks
}

// cpu is what the front and what all scorers took, of the processes that run now.
func (f *fleet) cpu() (front, scorers float64) {
	for _, s := range f.scorers {
		if s.process != nil {
			scorers += cpuSeconds(s.process.PID())
		}
	}
	return cpuSeconds(f.front.process.PID()), scorers
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/collectorproc"
)

const (
	startBound = 20 * time.Second // from the start of the process to an open port
	stopBound  = 60 * time.Second // from SIGTERM to the end of the process
)

// startCollector returns when the receiver's port is open.
func startCollector(ctx context.Context, binary, dir string, c testCase, sink string) (p *collectorproc.Process, endpoint string, err error) {
	endpoints, err := collectorproc.FreeEndpoints(ctx, 1)
	if err != nil {
		return nil, "", err
	}
	endpoint = endpoints[0]
	file := filepath.Join(dir, "collector.yaml")
	if err := os.WriteFile(file, []byte(c.config(endpoint, sink)), 0o600); err != nil {
		return nil, "", err
	}
	p, err = collectorproc.Start(collectorproc.Settings{Binary: binary, Config: file})
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	if err := p.Ready(ctx, collectorproc.Listening(endpoint)); err != nil {
		return nil, "", errors.Join(err, p.Kill())
	}
	return p, endpoint, nil
}

// tick is the unit of times in /proc: USER_HZ is 100 on every architecture that Go runs Linux on.
const tick = 10 * time.Millisecond

// cpuTime is the CPU time of a process so far, in user code and in the kernel.
func cpuTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field is the name in parentheses, which may have spaces; times are fields 14 and 15.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc/pid/stat is too short")
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	kernel, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+kernel) * tick, errors.Join(err1, err2)
}

// peakMemory is the most memory that a process has had, in bytes.
func peakMemory(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("/proc/pid/status has no VmHWM, the peak of memory")
}

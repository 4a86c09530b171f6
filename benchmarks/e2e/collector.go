package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startBound = 20 * time.Second // from the start of the process to an open port
	stopBound  = 60 * time.Second // from SIGTERM to the end of the process
)

// A collector is the process that is measured.
type collector struct {
	endpoint string
	process  *os.Process
	exited   chan error
	log      *tail
}

// tail keeps the end of what is written to it. One goroutine at a time writes, and it is read when that has ended.
type tail struct{ text []byte }

var _ io.Writer = (*tail)(nil)

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	const most = 4096
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

// startCollector returns when the receiver's port is open.
func startCollector(ctx context.Context, binary, dir string, c testCase, sink string) (*collector, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &collector{endpoint: l.Addr().String(), exited: make(chan error, 1), log: &tail{}}
	if err := l.Close(); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "collector.yaml")
	if err := os.WriteFile(file, []byte(c.config(p.endpoint, sink)), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, "--config", file)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.process = cmd.Process
	go func() { p.exited <- cmd.Wait() }()
	return p, p.opened(ctx)
}

// opened waits until the port is open. The process has ended when there is an error.
func (p *collector) opened(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.endpoint); err == nil {
			return conn.Close()
		}
		select {
		case err := <-p.exited:
			return fmt.Errorf("the collector ended at its start: %w: %s", err, p.log.text)
		case <-ctx.Done():
			return errors.Join(errors.New("the collector did not open its port"), p.kill())
		case <-poll.C:
		}
	}
}

// stop asks the process to end, and ends it if it does not.
func (p *collector) stop() error {
	if err := p.process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	timer := time.NewTimer(stopBound)
	defer timer.Stop()
	select {
	case err := <-p.exited:
		if err != nil {
			return fmt.Errorf("the collector did not exit cleanly: %w: %s", err, p.log.text)
		}
		return nil
	case <-timer.C:
		return errors.Join(errors.New("the collector did not exit after SIGTERM"), p.kill())
	}
}

func (p *collector) kill() error {
	err := p.process.Kill()
	<-p.exited // always an error: it was killed
	return err
}

// tick is the unit of times in /proc: USER_HZ is 100 on every architecture that Go runs Linux on.
const tick = 10 * time.Millisecond

// used is the CPU time of the process so far, in user code and in the kernel.
func (p *collector) used() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.process.Pid))
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

// peak is the most memory that the process has had, in bytes.
func (p *collector) peak() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("/proc/pid/status does not tell of memory")
}

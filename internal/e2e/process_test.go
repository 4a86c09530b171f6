package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// pollInterval is how often ready polls.
const pollInterval = 10 * time.Millisecond

// processSettings say what to start.
type processSettings struct {
	binary, config string    // the collector, and the file that it reads
	overlays       []string  // files that are merged into the configuration, a later one over an earlier one
	env            []string  // is added to the environment of this process: "KEY=value"
	log            io.Writer // receives what the collector prints, as well as the end of it that errors quote; it may be nil
}

// A process is a collector that was started as a process of its own. It knows a binary, a configuration file and signals, and not the
// collector's components. Its methods are for one goroutine at a time.
type process struct {
	process *os.Process
	exited  chan struct{} // closed when the process has ended
	err     error         // of the process; written before exited is closed
	log     tail
}

// startProcess starts a collector. The caller must end it with stop or kill, unless it ended by itself.
func startProcess(s processSettings) (*process, error) {
	args := []string{"--config", s.config}
	for _, file := range s.overlays {
		args = append(args, "--config", file)
	}
	cmd := exec.Command(s.binary, args...)
	p := &process{exited: make(chan struct{})}
	cmd.Env = append(os.Environ(), s.env...)
	// The log is never handed on as a file: a limit on the collector's files must not be one on its log.
	log := io.Writer(&p.log)
	if s.log != nil {
		log = io.MultiWriter(log, s.log)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.process = cmd.Process
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// ready polls until ready returns true. It returns an error, with the end of the log, if the collector ends before that or
// ctx does. It leaves the collector as it is.
func (p *process) ready(ctx context.Context, ready func(context.Context) bool) error {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for !ready(ctx) {
		select {
		case <-p.exited:
			return p.problem("ended by itself", p.err)
		case <-ctx.Done():
			return p.problem("is not ready", context.Cause(ctx))
		case <-poll.C:
		}
	}
	return nil
}

func (p *process) problem(what string, err error) error {
	return fmt.Errorf("the collector %s: %w; its log ends with\n%s", what, err, p.logEnd())
}

// reload has the collector read its configuration again.
func (p *process) reload() error { return p.process.Signal(syscall.SIGHUP) }

// stop terminates the collector as an operator does. It returns an error if the collector had ended before, ends with an
// error, or does not end within the bound; then it is killed.
func (p *process) stop(bound time.Duration) error {
	if err := p.process.Signal(syscall.SIGTERM); err != nil {
		return p.problem("ended before it was told to", err)
	}
	select {
	case <-p.exited:
		if p.err != nil {
			return p.problem("did not exit cleanly", p.err)
		}
		return nil
	case <-time.After(bound):
		return errors.Join(fmt.Errorf("the collector did not exit within %s of SIGTERM", bound), p.kill())
	}
}

// kill ends the process at once and waits until it is gone. A process that has ended is left alone.
func (p *process) kill() error {
	err := p.process.Kill()
	<-p.exited
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// logEnd returns the end of the collector's output.
func (p *process) logEnd() string { return p.log.String() }

// listening returns a question for ready: is the endpoint, host and port, open?
func listening(endpoint string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", endpoint)
		return err == nil && conn.Close() == nil
	}
}

// freeEndpoints finds n loopback endpoints, host and port, that are free now, all different.
func freeEndpoints(ctx context.Context, n int) ([]string, error) {
	endpoints := make([]string, n)
	for i := range endpoints {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // at the end, so that none is found twice
		endpoints[i] = l.Addr().String()
	}
	return endpoints, nil
}

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex // guards text
	text []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	const most = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}

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
	startBound = 10 * time.Second // from the start of the process to an open port
	stopBound  = 40 * time.Second // from SIGTERM to the end of the process: the processor tries for 30 s
)

// A collector is the process under test. It can be killed and started again with the same directory and port.
type collector struct {
	binary, dir string
	endpoint    string // where its receiver listens
	log         io.WriteCloser
	process     *os.Process // nil: none runs
	exited      chan error
}

func newCollector(binary, dir string) (*collector, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	endpoint := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	log, err := os.Create(logFile(dir))
	if err != nil {
		return nil, err
	}
	return &collector{binary: binary, dir: dir, endpoint: endpoint, log: log}, nil
}

func logFile(dir string) string    { return filepath.Join(dir, "collector.log") }
func configFile(dir string) string { return filepath.Join(dir, "collector.yaml") }

// pipe hides that a log is a file. So the process gets a pipe in its place, and a limit on its files is none on its log.
type pipe struct{ io.Writer }

// start returns when the receiver's port is open. fileKiB limits how large files may become that the process writes; 0
// is no limit. Writing beyond fails with EFBIG, as on a full disk with ENOSPC.
func (c *collector) start(ctx context.Context, fileKiB int) error {
	cmd := exec.Command(c.binary, "--config", configFile(c.dir))
	if fileKiB > 0 {
		cmd = exec.Command("bash", "-c", `ulimit -f "$0"; exec "$@"`, strconv.Itoa(fileKiB), c.binary, "--config", configFile(c.dir))
	}
	cmd.Stdout, cmd.Stderr = pipe{c.log}, pipe{c.log}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.process, c.exited = cmd.Process, make(chan error, 1)
	go func(exited chan<- error) { exited <- cmd.Wait() }(c.exited)

	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	for {
		select {
		case err := <-c.exited:
			c.process = nil
			return fmt.Errorf("the collector ended at its start: %w", errors.Join(err, c.complaint()))
		default:
		}
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.endpoint); err == nil {
			return conn.Close()
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return errors.Join(errors.New("the collector did not open its port"), c.kill())
		}
	}
}

// complaint is what the log of a collector that did not start ends with.
func (c *collector) complaint() error {
	text, err := os.ReadFile(logFile(c.dir))
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return errors.New(strings.Join(lines[max(0, len(lines)-4):], "\n"))
}

// kill ends the process at once, as kill -9 does.
func (c *collector) kill() error {
	if c.process == nil {
		return nil
	}
	err := c.process.Kill()
	<-c.exited // always an error: it was killed
	c.process = nil
	return err
}

// terminate sends SIGTERM. The process must end by itself and without an error.
func (c *collector) terminate(ctx context.Context) error {
	if c.process == nil {
		return errors.New("the collector does not run any more")
	}
	if err := c.process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the collector ended before it was told to: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopBound)
	defer cancel()
	select {
	case err := <-c.exited:
		c.process = nil
		if err != nil {
			return fmt.Errorf("the collector did not exit cleanly: %w", err)
		}
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("the collector did not exit after SIGTERM"), c.kill())
	}
}

// reload has the process read its configuration again.
func (c *collector) reload() error { return c.process.Signal(syscall.SIGHUP) }

// panics are the lines of a log that tell of a panic or a fatal error of Go.
func panics(log []byte) []string {
	var found []string
	for line := range bytes.Lines(log) {
		if bytes.Contains(line, []byte("panic")) || bytes.HasPrefix(line, []byte("fatal error:")) {
			found = append(found, "the collector's log says: "+strings.TrimSpace(string(line)))
		}
	}
	return found[:min(len(found), 3)]
}

// starts is how often the service has come up, at its start and by reloads.
func (c *collector) starts() (int, error) {
	text, err := os.ReadFile(logFile(c.dir))
	return bytes.Count(text, []byte("Everything is ready.")), err
}

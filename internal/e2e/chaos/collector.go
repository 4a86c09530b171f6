package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/collectorproc"
)

const (
	startBound = 60 * time.Second // from the start of the process to an open port: several may start at once
	stopBound  = 40 * time.Second // from SIGTERM to the end of the process: the processor tries for 30 s
)

// A collector is the process under test. It can be killed and started again with the same directory and port.
type collector struct {
	binary, dir string
	endpoint    string // where its receiver listens
	log         io.WriteCloser
	process     *collectorproc.Process // nil: none runs
}

func newCollector(ctx context.Context, binary, dir string) (*collector, error) {
	endpoints, err := collectorproc.FreeEndpoints(ctx, 1)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(logFile(dir))
	if err != nil {
		return nil, err
	}
	return &collector{binary: binary, dir: dir, endpoint: endpoints[0], log: log}, nil
}

func logFile(dir string) string    { return filepath.Join(dir, "collector.log") }
func configFile(dir string) string { return filepath.Join(dir, "collector.yaml") }

// start returns when the receiver's port is open. fileKiB limits how large files may become that the process writes; 0
// is no limit. Writing beyond fails with EFBIG, as on a full disk with ENOSPC.
func (c *collector) start(ctx context.Context, fileKiB int) (err error) {
	c.process, err = collectorproc.Start(collectorproc.Settings{
		Binary: c.binary, Config: configFile(c.dir), Log: c.log, MaxFileKiB: fileKiB,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	if err := c.process.Ready(ctx, collectorproc.Listening(c.endpoint)); err != nil {
		return errors.Join(err, c.kill())
	}
	return nil
}

// kill ends the process at once, as kill -9 does.
func (c *collector) kill() error {
	if c.process == nil {
		return nil
	}
	err := c.process.Kill()
	c.process = nil
	return err
}

// terminate sends SIGTERM. The process must end by itself and without an error.
func (c *collector) terminate() error {
	if c.process == nil {
		return errors.New("the collector does not run any more")
	}
	err := c.process.Stop(stopBound)
	c.process = nil
	return err
}

// panics are the lines of a log that report a panic or a fatal error of Go.
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

// reload has the collector read its configuration again, and returns when it runs on it.
func (c *collector) reload(ctx context.Context) error {
	before, err := c.starts()
	if err != nil {
		return err
	}
	if err := c.process.Reload(); err != nil {
		return err
	}
	for {
		now, err := c.starts()
		if err != nil || now > before {
			return err
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("the collector did not reload: %w", err)
		}
	}
}

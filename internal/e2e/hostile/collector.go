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
	startBound = 30 * time.Second // from the start of the process to an open port
	stopBound  = 40 * time.Second // from SIGTERM to the end of the process
)

// A collector is the process under attack.
type collector struct {
	*collectorproc.Process
	endpoint string   // where its receiver listens
	log      *os.File // what it printed
}

// startCollector returns when the receiver's port is open. The process may have no more memory than a child.
func startCollector(ctx context.Context, binary, dir, config string) (*collector, error) {
	endpoints, err := collectorproc.FreeEndpoints(ctx, 1)
	if err != nil {
		return nil, err
	}
	c := &collector{endpoint: endpoints[0]}
	file := filepath.Join(dir, "collector.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(config, "RECEIVER", c.endpoint)), 0o600); err != nil {
		return nil, err
	}
	if c.log, err = os.Create(filepath.Join(dir, "collector.log")); err != nil {
		return nil, err
	}
	c.Process, err = collectorproc.Start(collectorproc.Settings{
		Binary: binary, Config: file, Log: c.log, MaxAddressKiB: mostAddresses >> 10,
		Env: []string{fmt.Sprintf("GOMEMLIMIT=%d", mostHeap-1<<28)},
	})
	if err != nil {
		return nil, errors.Join(err, c.log.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	if err := c.Ready(ctx, collectorproc.Listening(c.endpoint)); err != nil {
		c.remove()
		return nil, err
	}
	return c, nil
}

// remove kills the collector where it has not ended.
func (c *collector) remove() {
	_ = c.Kill()
	_ = c.log.Close()
}

// end stops the collector as an operator does. It returns why that was not possible, in a line.
func (c *collector) end() string {
	select {
	case <-c.Exited:
		return "the collector died: " + c.lastWords()
	default:
	}
	if err := c.Stop(stopBound); err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return line + " " + c.lastWords()
	}
	return ""
}

// lastWords are the line of the log in which Go says why the process ended.
func (c *collector) lastWords() string {
	text, err := os.ReadFile(c.log.Name())
	if err != nil {
		return err.Error()
	}
	for line := range bytes.Lines(text) {
		for _, word := range []string{"fatal error:", "panic:", "runtime:"} {
			if bytes.HasPrefix(line, []byte(word)) {
				return strings.TrimSpace(string(line))
			}
		}
	}
	return "without a word"
}

// resident is how much memory the process has now, and has had at most, in bytes.
func (c *collector) resident() (now, most uint64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.PID()))
	if err != nil {
		return 0, 0 // it has ended
	}
	return field(text, "VmRSS:") << 10, field(text, "VmHWM:") << 10
}

// written is how many bytes the process has had written to disks.
func (c *collector) written() uint64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", c.PID()))
	if err != nil {
		return 0 // it has ended
	}
	return field(text, "write_bytes:")
}

// field is the number behind a word at the beginning of a line; 0 where there is none.
func field(text []byte, word string) uint64 {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(word)); ok {
			n, _ := strconv.ParseUint(strings.Fields(string(rest) + " 0")[0], 10, 64)
			return n
		}
	}
	return 0
}

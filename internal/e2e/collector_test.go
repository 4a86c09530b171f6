package e2e

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait of these tests. Nothing is asserted about speed.
const patience = 30 * time.Second

// A collector is a running process of the built distribution.
type collector struct {
	grpc, http string // where it listens
	cmd        *exec.Cmd
	exited     chan error
}

// startCollector returns when the collector says that it is healthy. Its log is shown when the test fails.
func startCollector(t *testing.T, backend string, wait time.Duration) *collector {
	t.Helper()
	binary, err := filepath.Abs("../../dist/otelcol-tool-correctness")
	require.NoError(t, err)
	require.FileExists(t, binary, "make build builds it")

	free := freeEndpoints(t, 3)
	health := free[2]
	c := &collector{grpc: free[0], http: free[1], exited: make(chan error, 1)}
	log := &bytes.Buffer{}
	c.cmd = exec.Command(binary, "--config", "testdata/collector.yaml")
	c.cmd.Env = append(os.Environ(), "GRPC_ENDPOINT="+c.grpc, "HTTP_ENDPOINT="+c.http, "HEALTH_ENDPOINT="+health,
		"BACKEND_ENDPOINT="+backend, "WAIT="+wait.String())
	c.cmd.Stdout, c.cmd.Stderr = log, log
	require.NoError(t, c.cmd.Start())
	go func() {
		c.exited <- c.cmd.Wait()
		close(c.exited)
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // after a clean stop there is nothing to kill
		<-c.exited
		if t.Failed() {
			t.Logf("the collector's log:\n%s", log)
		}
	})
	c.waitHealthy(t, "http://"+health)
	return c
}

func (c *collector) waitHealthy(t *testing.T, url string) {
	t.Helper()
	eventually(t, "the collector is healthy", func() bool {
		select {
		case err := <-c.exited:
			require.FailNow(t, "the collector ended by itself", "%v", err)
		default:
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// stop sends SIGTERM and requires that the collector ends by itself, without an error.
func (c *collector) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-c.exited:
		require.NoError(t, err, "the collector must stop cleanly")
	case <-time.After(patience):
		require.FailNow(t, "the collector did not stop")
	}
}

// freeEndpoints finds n loopback ports that are free now, all different.
func freeEndpoints(t *testing.T, n int) []string {
	t.Helper()
	var endpoints []string
	for range n {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		endpoints = append(endpoints, l.Addr().String())
	}
	return endpoints
}

// eventually asks until the claim holds, or fails the test when patience ends.
func eventually(t *testing.T, claim string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			require.FailNow(t, "waited in vain until "+claim)
		case <-tick.C:
		}
	}
}

package e2e

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait of these tests. Nothing is asserted about speed.
const patience = 30 * time.Second

// A collector is a running process of the built distribution.
type collector struct {
	grpc, http string // where it listens
	process    *process
}

// startCollector starts the distribution with testdata/collector.yaml.
func startCollector(t *testing.T, backend string, wait time.Duration) *collector {
	t.Helper()
	return startHealthy(t, "../../dist/otelcol-tool-correctness", processSettings{
		config: "testdata/collector.yaml", env: []string{"BACKEND_ENDPOINT=" + backend, "WAIT=" + wait.String()},
	})
}

// launch starts the collector at a path. The end of its log is shown when the test fails.
func launch(t *testing.T, path string, s processSettings) *process {
	t.Helper()
	var err error
	s.binary, err = filepath.Abs(path)
	require.NoError(t, err)
	require.FileExists(t, s.binary, "make build, or make e2e WITH=pipelines, builds it")
	process, err := startProcess(s)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = process.kill() // after a clean stop there is nothing to kill
		if t.Failed() {
			t.Logf("the collector's log ends with\n%s", process.logEnd())
		}
	})
	return process
}

// startHealthy launches a collector, and returns when it says that it is healthy. The configuration finds its addresses in the
// environment.
func startHealthy(t *testing.T, path string, s processSettings) *collector {
	t.Helper()
	free, err := freeEndpoints(t.Context(), 3)
	require.NoError(t, err)
	c := &collector{grpc: free[0], http: free[1]}
	health := free[2]
	s.env = append(s.env, "GRPC_ENDPOINT="+c.grpc, "HTTP_ENDPOINT="+c.http, "HEALTH_ENDPOINT="+health)
	c.process = launch(t, path, s)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, c.process.ready(ctx, healthy("http://"+health)))
	return c
}

// healthy returns a condition for ready: a health check at the URL responds with 200.
func healthy(url string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return false
		}
		response, err := http.DefaultClient.Do(request)
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	}
}

// stop sends SIGTERM and requires that the collector ends by itself, without an error.
func (c *collector) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, c.process.stop(patience))
}

// eventually asks until the claim holds, or fails the test when patience ends.
func eventually(t *testing.T, claim string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, patience, 20*time.Millisecond, "waited in vain until "+claim)
}

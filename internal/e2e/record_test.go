package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A release gate: what a suite's agent sends is recorded by the example's collector, and the command scores the file.
func TestRecordAndScore(t *testing.T) {
	free, err := freeEndpoints(t.Context(), 2)
	require.NoError(t, err)
	folder := t.TempDir()
	traces := filepath.Join(folder, "traces.jsonl")
	process := launch(t, "../../dist/otelcol-tool-correctness", processSettings{
		config: "../../examples/ci/record.yaml", env: []string{"RECORD_GRPC=" + free[0], "RECORD_HTTP=" + free[1], "RECORD_FILE=" + traces},
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, endpoint := range free {
		require.NoError(t, process.ready(ctx, listening(endpoint)))
	}
	c := &collector{grpc: free[0], http: free[1], process: process}
	runAgent(t, overGRPC(t, c), "search_orders", "refund_order")
	runAgent(t, overHTTP(t, c), "search_orders", "web_search")
	c.stop(t)

	config := filepath.Join(folder, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("processors: {tool_correctness: {metrics: {m: {native: {threshold: 0.8}}}, expectations: [{tools: [search_orders, refund_order]}]}}"), 0o600))
	command := filepath.Join(folder, "toolcorrectness")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", command, "./cmd/toolcorrectness")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	score := exec.CommandContext(t.Context(), command, "-config", config, traces)
	out, _ = score.CombinedOutput()
	require.Equal(t, 1, score.ProcessState.ExitCode(), string(out))
	require.Contains(t, string(out), "2 runs: 1 passed, 1 failed")
}

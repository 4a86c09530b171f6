package e2e

import (
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The built collector loads the scorers' configuration of the Kubernetes manifests, and says the metrics that the autoscaler
// asks for under the very names.
func TestDeployedConfigurationRuns(t *testing.T) {
	b := startBackend(t)
	free, err := freeEndpoints(t.Context(), 1)
	require.NoError(t, err)
	_, port, _ := strings.Cut(free[0], ":")
	settings := processSettings{
		config: "../../deploy/kubernetes/scorer/collector.yaml", overlays: []string{"testdata/overlay-deployed.yaml"},
		env: []string{"POD_IP=127.0.0.1", "BACKEND_ENDPOINT=" + b.endpoint, "STORAGE=" + t.TempDir(), "METRICS_PORT=" + port},
	}
	const binary = "../../dist/otelcol-tool-correctness"
	c := startHealthy(t, binary, settings)
	run := runAgent(t, overGRPC(t, c), "search_orders")
	eventually(t, "the run's calls came out", func() bool { return len(b.counts()) >= len(run.spans)-1 })
	var text []byte
	eventually(t, "the metrics are there", func() bool {
		response, err := http.Get("http://" + free[0] + "/metrics") //nolint:noctx // it is asked again
		if err != nil {
			return false
		}
		defer response.Body.Close()
		text, err = io.ReadAll(response.Body)
		return err == nil && strings.Contains(string(text), "\notelcol_processor_tool_correctness_open_runs{processor=")
	})
	require.Contains(t, string(text), "\notelcol_processor_tool_correctness_retained_bytes{processor=")
	c.stop(t)
	// What the shutdown released is sent, or in the exporter's queue on the disk, which the next start sends.
	startHealthy(t, binary, settings) // it is killed: a collector that has just become healthy does not listen to signals yet
	eventually(t, "all spans came out", func() bool { return len(b.counts()) == len(run.spans) })
}

// The image's own configuration is valid.
func TestImageConfigurationIsValid(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "../../dist/otelcol-tool-correctness", "validate", "--config=../tools/release/image.yaml").CombinedOutput()
	require.NoError(t, err, string(out))
}

//go:build contrib

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// startExample starts an example of examples/, with the overlays of testdata over it, in a collector that has the contrib
// components.
func startExample(t *testing.T, example string, env []string, overlays ...string) *collector {
	t.Helper()
	s := processSettings{config: "../../examples/" + example + ".yaml", env: env}
	for _, o := range append([]string{"overlay-receiver"}, overlays...) {
		s.overlays = append(s.overlays, "testdata/"+o+".yaml")
	}
	return startHealthy(t, "../../dist/contrib/otelcol-contrib-tool-correctness", s)
}

// runs plays n good and bad runs of an agent: half of the good ones over gRPC, span by span.
func runs(t *testing.T, c *collector, n int) (good, bad []agentRun) {
	t.Helper()
	for i := range n {
		export := overHTTP
		if i%2 == 0 {
			export = overGRPC
		}
		good = append(good, runAgent(t, export(t, c), "search_orders", "refund_order"))
		bad = append(bad, runAgent(t, export(t, c), "web_search"))
	}
	return good, bad
}

func spansIn(runs []agentRun) (n int) {
	for i := range runs {
		n += len(runs[i].spans)
	}
	return n
}

// A sampler behind the processor keeps every span of a run that failed and none of one that it drops.
func TestPipelineKeepsFailures(t *testing.T) {
	b := startBackend(t)
	c := startExample(t, "keep-failures", []string{"BACKEND_ENDPOINT=" + b.endpoint}, "overlay-backend", "overlay-sampling")
	good, bad := runs(t, c, 10)
	eventually(t, "all spans of failed runs came out", func() bool { return len(b.counts()) >= spansIn(bad) })
	c.stop(t)
	wantOnce(t, b, bad...)
	for _, run := range good {
		require.Len(t, b.recordsOf(run.anchor), 1, "the verdict of a run that was dropped is in the logs")
	}
}

// The second backend gets failed runs only, and all of them.
func TestPipelineRoutesFailures(t *testing.T) {
	all, failures := startBackend(t), startBackend(t)
	c := startExample(t, "route-failures", []string{"BACKEND_ENDPOINT=" + all.endpoint, "FAILURES_ENDPOINT=" + failures.endpoint},
		"overlay-backend", "overlay-route")
	good, bad := runs(t, c, 10)
	eventually(t, "all spans came out", func() bool {
		return len(all.counts()) == spansIn(good)+spansIn(bad) && len(failures.counts()) >= spansIn(bad)
	})
	c.stop(t)
	wantOnce(t, all, append(good, bad...)...)
	wantOnce(t, failures, bad...)
}

// Arguments are compared and then removed.
func TestPipelineRedactsAfterScoring(t *testing.T) {
	b := startBackend(t)
	c := startExample(t, "redact-after-scoring", []string{"BACKEND_ENDPOINT=" + b.endpoint}, "overlay-backend")
	good, bad := runs(t, c, 2)
	eventually(t, "all spans came out", func() bool { return len(b.counts()) == spansIn(good)+spansIn(bad) })
	c.stop(t)
	for _, run := range append(good, bad...) {
		for _, id := range run.spans {
			attributes, _ := b.attributes(id)
			_, there := attributes.Get("gen_ai.tool.call.arguments")
			require.False(t, there, "arguments left the collector")
		}
	}
	for _, run := range good {
		attributes, _ := b.attributes(run.anchor)
		require.True(t, value(t, attributes, "passed", pcommon.ValueTypeBool).Bool(), "order_id was compared with 7")
	}
}

// Behind a balancer that routes by trace id, each run is judged once, by one of two gateways, with all its calls.
func TestPipelineScalesOut(t *testing.T) {
	b := startBackend(t)
	var gateways [2]*collector
	for i := range gateways {
		gateways[i] = startExample(t, "gateway", []string{"BACKEND_ENDPOINT=" + b.endpoint, "STORAGE=" + t.TempDir()}, "overlay-backend", "overlay-gateway")
	}
	balancer := startExample(t, "scale-out/balancer", []string{"GATEWAY_0=" + gateways[0].grpc, "GATEWAY_1=" + gateways[1].grpc},
		"overlay-balancer")
	good, bad := runs(t, balancer, 10)
	eventually(t, "all spans came out", func() bool { return len(b.counts()) == spansIn(good)+spansIn(bad) })
	balancer.stop(t)
	for _, g := range gateways {
		g.stop(t)
	}
	wantOnce(t, b, append(good, bad...)...)
	for i := range good {
		attributes, _ := b.attributes(good[i].anchor)
		require.True(t, value(t, attributes, "passed", pcommon.ValueTypeBool).Bool())
		attributes, _ = b.attributes(bad[i].anchor)
		require.False(t, value(t, attributes, "passed", pcommon.ValueTypeBool).Bool())
	}
}

// Every configuration of several collectors is valid: that of a first tier has components of the contrib repository.
func TestPipelinesOfFleetsAreValid(t *testing.T) {
	files, err := filepath.Glob("../../examples/scale-out/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 3)
	for _, file := range append(files, "../../deploy/kubernetes/balancer/collector.yaml") {
		c := exec.CommandContext(t.Context(), "../../dist/contrib/otelcol-contrib-tool-correctness", "validate", "--config="+file)
		c.Env = append(os.Environ(), "POD_IP=127.0.0.1", "POD_NAME=scorer-0")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s: %s", file, out)
	}
}

// Neighbours that hold, batch and group spans, on both sides, change no verdict and lose no span. A group behind the processor
// that waits longer than run.wait has the agent's span. A list of allowed attributes keeps those of a verdict that it names.
func TestPipelineAmongNeighbours(t *testing.T) {
	b := startBackend(t)
	c := startHealthy(t, "../../dist/contrib/otelcol-contrib-tool-correctness", processSettings{
		config: "testdata/neighbours.yaml", overlays: []string{"testdata/overlay-receiver.yaml", "testdata/overlay-backend.yaml"},
		env: []string{"BACKEND_ENDPOINT=" + b.endpoint},
	})
	good, bad := runs(t, c, 5)
	eventually(t, "all spans came out", func() bool { return len(b.counts()) == spansIn(good)+spansIn(bad) })
	c.stop(t)
	wantOnce(t, b, append(good, bad...)...)
	for i, run := range append(good, bad...) {
		for _, id := range run.spans {
			require.Equal(t, b.request[run.anchor], b.request[id], "the group has the whole trace")
		}
		attributes, _ := b.attributes(run.anchor)
		require.Equal(t, map[string]any{
			"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support",
			"tool_correctness.passed": i < len(good), "tool_correctness.score": map[bool]float64{true: 1}[i < len(good)],
		}, attributes.AsRaw())
	}
}

//go:build contrib && linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// withHosts is a program that starts the collector in a mount namespace where a file replaces /etc/hosts. The collector's
// resolver reads it again after a change, so the test needs no DNS server.
const withHosts = `#!/bin/sh
exec unshare --mount sh -c 'mount --bind "$HOSTS" /etc/hosts && exec "$COLLECTOR" "$@"' sh "$@"
`

// A balancer with the dns resolver sends each trace to one of the addresses of a name, and learns of an address that is added.
// Traces that began after that are judged once and right, and the new scorer gets some of them.
func TestPipelineFindsScorersByName(t *testing.T) {
	if err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").Run(); err != nil {
		t.Skipf("this test needs its own mount namespace, which needs root: %v", err)
	}
	free, err := freeEndpoints(t.Context(), 1)
	require.NoError(t, err)
	_, port, _ := strings.Cut(free[0], ":")
	var scorers [3]*collector
	var backends [3]*backend
	for i := range scorers {
		backends[i] = startBackend(t)
		scorers[i] = startExample(t, "gateway", []string{
			"BACKEND_ENDPOINT=" + backends[i].endpoint, "STORAGE=" + t.TempDir(), fmt.Sprintf("NAMED_ENDPOINT=127.0.0.%d:%s", i+2, port),
		}, "overlay-backend", "overlay-gateway", "overlay-named")
	}
	hosts := filepath.Join(t.TempDir(), "hosts")
	named := func(n int) {
		lines := []string{"127.0.0.1 localhost"}
		for i := range n {
			lines = append(lines, fmt.Sprintf("127.0.0.%d scorers.test", i+2))
		}
		require.NoError(t, os.WriteFile(hosts, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	named(2)
	balancer := startWithHosts(t, hosts, port)

	before, _ := runs(t, balancer, 10)
	eventually(t, "both scorers have runs", func() bool { return len(backends[0].counts()) > 0 && len(backends[1].counts()) > 0 })
	require.Empty(t, backends[2].counts(), "the name does not resolve to the third one")
	named(3)
	eventually(t, "the third scorer has runs", func() bool {
		runAgent(t, overHTTP(t, balancer), "search_orders", "refund_order")
		return len(backends[2].counts()) > 0
	})
	after, _ := runs(t, balancer, 10)
	eventually(t, "the last runs came out", func() bool {
		return !slices.ContainsFunc(after, func(run agentRun) bool { return judgedBy(backends[:], run) == 0 })
	})
	balancer.stop(t)
	for _, s := range scorers {
		s.stop(t)
	}
	for _, run := range append(before, after...) {
		wantJudgedOnceByOne(t, backends[:], run)
	}
}

// startWithHosts starts the example's balancer with a file of hosts of its own.
func startWithHosts(t *testing.T, hosts, port string) *collector {
	t.Helper()
	wrapper := filepath.Join(t.TempDir(), "collector")
	require.NoError(t, os.WriteFile(wrapper, []byte(withHosts), 0o700))
	binary, err := filepath.Abs("../../dist/contrib/otelcol-contrib-tool-correctness")
	require.NoError(t, err)
	return startHealthy(t, wrapper, processSettings{
		config:   "../../examples/scale-out/balancer.yaml",
		overlays: []string{"testdata/overlay-receiver.yaml", "testdata/overlay-dns.yaml"},
		env:      []string{"HOSTS=" + hosts, "COLLECTOR=" + binary, "NAMED_PORT=" + port},
	})
}

// judgedBy is how many backends have a run's agent.
func judgedBy(backends []*backend, run agentRun) (n int) {
	for _, b := range backends {
		if _, came := b.attributes(run.anchor); came {
			n++
		}
	}
	return n
}

// wantJudgedOnceByOne requires that one of the backends has all spans of a good run, with one verdict that is right.
func wantJudgedOnceByOne(t *testing.T, backends []*backend, run agentRun) {
	t.Helper()
	require.Equal(t, 1, judgedBy(backends, run))
	for _, b := range backends {
		attributes, came := b.attributes(run.anchor)
		if !came {
			continue
		}
		counts := b.counts()
		for _, id := range run.spans {
			require.Equal(t, 1, counts[id])
		}
		require.True(t, value(t, attributes, "passed", pcommon.ValueTypeBool).Bool())
		require.True(t, value(t, attributes, "complete", pcommon.ValueTypeBool).Bool())
	}
}

//go:build chaos

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// settings are what cases configure differently. What is zero keeps its default.
type settings struct {
	wait       time.Duration
	threshold  float64
	openRuns   int
	memoryMiB  int
	limiterMiB int  // limit of a memory_limiter before the processor; 0: there is none
	noQueue    bool // the exporter has no sending queue, and hands on what the sink answers
	noRetry    bool // the exporter tries once
	storage    bool
}

// scorer is the configuration of a collector that judges.
func (s settings) scorer(dir, receiver, sink string) string {
	processors, extensions, storage := "tool_correctness", "", ""
	if s.limiterMiB > 0 {
		processors = "memory_limiter, tool_correctness"
	}
	if s.storage {
		extensions, storage = "file_storage", "storage: file_storage"
	}
	return fmt.Sprintf(`
receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}
exporters:
  otlp_grpc: {endpoint: %q, tls: {insecure: true}, compression: none, sending_queue: {enabled: %t}, retry_on_failure: {enabled: %t}}
extensions:
  file_storage: {directory: %q, create_directory: true}
processors:
  memory_limiter: {check_interval: 50ms, limit_mib: %d, min_gc_interval_when_soft_limited: 500ms}
  tool_correctness:
    run: {wait: %s, idle_timeout: 10m}
    metrics: {tool_correctness: {native: {score: recall, threshold: %g}}}
    expectations: [{tools: [%s]}]
    limits: {open_runs: %d, memory_mib: %d}
    %s
service:
  extensions: [%s]
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], processors: [%s], exporters: [otlp_grpc]}}
`, receiver, sink, !s.noQueue, !s.noRetry, dir+"/storage", max(s.limiterMiB, 60), s.wait, cmp.Or(s.threshold, passMark),
		strings.Join(expected, ", "), cmp.Or(s.openRuns, 100_000), cmp.Or(s.memoryMiB, 256), storage, extensions, processors)
}

// front is the configuration of a balancer. It has no queue, so that it acknowledges a span only when a scorer has it.
func front(receiver string, scorers []string) string {
	return fmt.Sprintf(`
receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}
exporters:
  load_balancing:
    routing_key: traceID
    protocol:
      otlp: {timeout: 5s, tls: {insecure: true}, compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}
    retry_on_failure: {enabled: true, initial_interval: 100ms, max_interval: 500ms, max_elapsed_time: 8s}
    resolver: {static: {hostnames: [%s]}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [load_balancing]}}
`, receiver, strings.Join(scorers, ", "))
}

// replaceFile writes a file at once: one that is read while it is written is half a file, and one that is renamed is not.
func replaceFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".next", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+".next", path))
}

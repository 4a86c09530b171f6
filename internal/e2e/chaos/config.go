package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
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

// write makes the configuration of a collector in dir.
func (s settings) write(dir, receiver, sink string) error {
	storage := filepath.Join(dir, "storage")
	if err := os.MkdirAll(storage, 0o700); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}\n", receiver)
	fmt.Fprintf(&b, "exporters:\n  otlp_grpc:\n    endpoint: %q\n    tls: {insecure: true}\n    compression: none\n", sink)
	if s.noQueue {
		b.WriteString("    sending_queue: {enabled: false}\n")
	}
	if s.noRetry {
		b.WriteString("    retry_on_failure: {enabled: false}\n")
	}
	processors, extensions := "tool_correctness", ""
	b.WriteString("processors:\n")
	if s.limiterMiB > 0 {
		processors = "memory_limiter, tool_correctness"
		fmt.Fprintf(&b, "  memory_limiter: {check_interval: 50ms, limit_mib: %d, min_gc_interval_when_soft_limited: 500ms}\n", s.limiterMiB)
	}
	s.processor(&b)
	if s.storage {
		extensions = "file_storage/x"
		fmt.Fprintf(&b, "    storage: file_storage/x\nextensions: {file_storage/x: {directory: %q}}\n", storage)
	}
	fmt.Fprintf(&b, "service:\n  extensions: [%s]\n  telemetry: {metrics: {level: none}}\n", extensions)
	fmt.Fprintf(&b, "  pipelines: {traces: {receivers: [otlp], processors: [%s], exporters: [otlp_grpc]}}\n", processors)

	return replaceFile(configFile(dir), b.String())
}

// replaceFile writes a file at once: one that is read while it is written is half a file, and one that is renamed is not.
func replaceFile(path, text string) error {
	if err := os.WriteFile(path+".next", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".next", path)
}

// processor writes the section of tool_correctness.
func (s settings) processor(b *strings.Builder) {
	threshold := s.threshold
	if threshold == 0 {
		threshold = passMark
	}
	fmt.Fprintf(b, "  tool_correctness:\n    run: {wait: %s, idle_timeout: 10m}\n", s.wait)
	fmt.Fprintf(b, "    metrics: {tool_correctness: {native: {score: recall, threshold: %g}}}\n", threshold)
	fmt.Fprintf(b, "    expectations: [{tools: [%s]}]\n", strings.Join(expected, ", "))
	if s.openRuns > 0 || s.memoryMiB > 0 {
		b.WriteString("    limits:\n")
	}
	if s.openRuns > 0 {
		fmt.Fprintf(b, "      open_runs: %d\n", s.openRuns)
	}
	if s.memoryMiB > 0 {
		fmt.Fprintf(b, "      memory_mib: %d\n", s.memoryMiB)
	}
}

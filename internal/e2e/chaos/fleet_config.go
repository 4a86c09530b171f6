package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const group = "scorers"

// configureFront writes the front's configuration for the scorers that it shall know. It has no queue, so that it
// acknowledges a span only when a scorer or the broker has it.
func (f *fleet) configureFront() error {
	exporter := fmt.Sprintf(`
  load_balancing:
    routing_key: %s
    %s
    protocol:
      otlp: {timeout: 5s, tls: {insecure: true}, compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}
    retry_on_failure: {enabled: true, initial_interval: 100ms, max_interval: 500ms, max_elapsed_time: 8s}
    resolver: {static: {hostnames: [%s]}}`, f.route.key, f.route.attributes, strings.Join(f.endpoints(), ", "))
	name := "load_balancing"
	if f.broker != nil {
		name = "kafka"
		exporter = fmt.Sprintf(`
  kafka:
    brokers: [%q]
    traces: {topic: %s}
    partition_traces_by_id: true
    producer: {required_acks: -1}
    sending_queue: {enabled: false}`, f.broker.endpoint, f.topic())
	}
	processors := ""
	if f.route.statement != "" {
		processors = "transform"
	}
	return replaceFile(configFile(f.front.dir), fmt.Sprintf(`
receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}
processors:
  transform: {trace_statements: [{context: span, statements: [%s]}]}
exporters:%s
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], processors: [%s], exporters: [%s]}}
`, f.front.endpoint, f.route.statement, exporter, processors, name))
}

// configureScorer writes the configuration of the n-th scorer. Its exporter has no queue, so that what it holds is the
// processor's.
func (f *fleet) configureScorer(s *scorer, n int) error {
	storage := filepath.Join(s.dir, "storage")
	if err := os.MkdirAll(storage, 0o700); err != nil {
		return err
	}
	// The health of an otlp receiver is its port; a scorer without one gets one for that, too.
	receivers, use := fmt.Sprintf("\n  otlp: {protocols: {grpc: {endpoint: %q}}}", s.endpoint), "otlp"
	if f.broker != nil {
		use = "otlp, kafka"
		receivers += fmt.Sprintf(`
  kafka:
    brokers: [%q]
    traces: {topics: [%s]}
    group_id: %s
    %s
    initial_offset: earliest
    session_timeout: 6s
    heartbeat_interval: 500ms
    autocommit: {enable: true, interval: 200ms}
    message_marking: {after: true, on_error: false}
    error_backoff: {enabled: true, initial_interval: 100ms, max_interval: 1s, max_elapsed_time: 0}`,
			f.broker.endpoint, f.topic(), f.group(), f.member(n))
	}
	var processor strings.Builder
	f.settings.processor(&processor)
	stored, extensions := "", ""
	if f.settings.storage {
		stored, extensions = "    storage: file_storage\n", "file_storage"
	}
	return replaceFile(configFile(s.dir), fmt.Sprintf(`
extensions: {file_storage: {directory: %q}}
receivers:%s
processors:
%s%sexporters:
  otlp_grpc: {endpoint: %q, tls: {insecure: true}, compression: none, sending_queue: {enabled: false}}
service:
  extensions: [%s]
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [%s], processors: [tool_correctness], exporters: [otlp_grpc]}}
`, storage, receivers, processor.String(), stored, s.sink.endpoint, extensions, use))
}

// group is a consumer group of this case alone.
func (f *fleet) group() string { return group + "-" + f.name }

// member makes the n-th scorer a static member of the group, if the case says so.
func (f *fleet) member(n int) string {
	if !f.static {
		return ""
	}
	return fmt.Sprintf("group_instance_id: scorer-%d", n)
}

// replaceFile writes a file at once: one that is read while it is written is half a file.
func replaceFile(path, text string) error {
	return errors.Join(os.WriteFile(path+".next", []byte(text), 0o600), os.Rename(path+".next", path))
}

// topic is one of this case alone.
func (f *fleet) topic() string { return "spans-" + f.name }

// Package toolcorrectnessscoresexporter is an OpenTelemetry Collector exporter of logs. It sends the verdicts of the
// tool_correctness processor to a backend that takes scores by its own API, and takes none over OTLP.
//
// # What it reads
//
// Log records that are the event gen_ai.evaluation.result, as the connector tool_correctness makes them. A score must lie in
// [0, 1]. Other records are ignored and counted, and so are events that cannot be read.
//
// # What it writes
//
// One score for each metric of each run, on the run's span. Exactly one backend is configured. Config.sections is the table of
// them. The comment of each, in apis.go, names the description of the API that it follows. A run that was not scored is sent
// only if the backend has a place for it. Otherwise it is counted as skipped.
//
// # Repetition
//
// The identity of a score is made of its trace, its span and its metric. A request that is repeated, or a run that is judged
// again, therefore replaces the score and adds none. Datadog publishes no such identity, see apis.go.
//
//go:generate make -C .. generate
package toolcorrectnessscoresexporter // import "github.com/toolcorrectness/toolcorrectnessprocessor/exporter"

// Package toolcorrectnessprocessor is an OpenTelemetry Collector processor that scores the tool calls of AI agents.
//
// An agent calls tools to answer a request: it searches, looks up, refunds. To find out whether it called the right ones, the
// processor compares the calls with expected ones. Offline tools do so on test cases. This processor does it on the traces
// that pass through a collector:
//
//  1. It recognizes the spans of tool calls and agents of many instrumentations (internal/dialect).
//  2. It groups the calls of one execution of one agent, a run (internal/runs). It holds the agent's own span, the
//     anchor, until the calls have arrived. All other spans are forwarded at once. With annotate.calls the spans of calls
//     are held as well.
//  3. It chooses an expectation for each metric: the first one that applies to it and whose condition holds on the anchor
//     (internal/evaluate).
//  4. It aligns expected tools and calls, and scores the alignment by the metric's method (scoring).
//  5. It writes score, reason and other attributes on the anchor (internal/attributes), and releases it (processor).
//
// This package has the factory and the configuration, [Config]. Its method settings converts a Config to the settings of the
// processor, and lists all faults.
//
// # Files
//
//	config.go    the keys of a configuration, their defaults and their schema
//	settings.go  their conversion to the settings of the processor, and every rule
//	factory.go   the processor
//
// Code that needs no type of the configuration is elsewhere:
//
//	internal/configcheck        errors with paths: unknown keys, wrong values, YAML
//	internal/conditions         OTTL texts, compiled and evaluated
//	internal/expect             what is expected, wherever it is written: here, in a file, in a case, in an attribute
//
//go:generate make generate
package toolcorrectnessprocessor // import "github.com/toolcorrectness/toolcorrectnessprocessor"

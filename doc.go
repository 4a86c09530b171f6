// Package toolcorrectnessprocessor is an OpenTelemetry Collector processor that scores the tool calls of AI agents.
//
// An agent that answers a request calls tools: it searches, looks up, refunds. Whether it called the right ones is a
// matter of comparing what it called with what was expected. Offline tools do so on test cases. This processor does it
// on the traces that pass through a collector:
//
//  1. It finds the spans of tool calls and agents, whatever instrumentation wrote them (internal/dialect).
//  2. It groups the calls of one execution of one agent, a run (internal/agentrun). It holds the agent's own span, the
//     anchor, until the calls have arrived. All other spans are forwarded at once. With annotate.calls the spans of calls
//     are held as well.
//  3. It finds the expectation of each metric: the first that is for it and whose condition holds on the anchor.
//  4. It aligns expected tools and calls, and scores the alignment (scoring). Each metric does so by its own method.
//  5. It writes score, reason and other attributes on the anchor (internal/attributes), and releases it (processor).
//
// This package has what users write, [Config], and the factory. The method settings converts a Config to the settings of
// the processor, and reports everything that is wrong with it.
//
// # Files
//
//	config.go                   the keys of a configuration, and their defaults
//	config_expectations.go      the keys of expectations and tools, and their conversion
//	config_dataset.go           the keys of a dataset, and their conversion
//	config_metrics.go           the keys of metrics: a struct for each method, and its conversion
//	config_enums.go             words of options
//	config_files.go             expectations in files, as a source for the processor
//	settings.go, factory.go     the settings of the processor, and the processor
//
// What needs no type of the configuration is elsewhere:
//
//	internal/configcheck        the words of errors: unknown keys, wrong values, YAML
//	internal/ottltext           OTTL texts, compiled
//	internal/expectation        what is expected, wherever it is written: here, in a case, in an attribute
//	internal/expectcheck        warnings, and methods that do not understand a key
//	internal/expectfiles        files of expectations, and when a change is used
//	internal/dataset            files of cases, and the format of a case
//
//go:generate make generate
package toolcorrectnessprocessor // import "github.com/toolcorrectness/toolcorrectnessprocessor"

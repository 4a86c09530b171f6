// Package toolcorrectnessprocessor is an OpenTelemetry Collector processor that scores the tool calls of AI agents.
//
// An agent calls tools to answer a request: it searches, looks up, refunds. To find out whether it called the right ones, the
// processor compares the calls with expected ones. Offline tools do so on test cases. This processor does it on the traces
// that pass through a collector:
//
//  1. It recognizes the spans of tool calls and agents of many instrumentations (internal/dialect).
//  2. It groups the calls of one execution of one agent, a run (internal/runs). It holds the agent's own span, the
//     anchor, until the calls have arrived. Workflows and roots may be held too, and with annotate.calls the
//     spans of calls. All other spans are forwarded at once.
//  3. It chooses an expectation for each metric: the first one that applies to it and whose condition holds on the anchor
//     (internal/evaluate).
//  4. It aligns expected tools and calls, and scores the alignment by the metric's method (scoring).
//  5. It writes score, reason and other attributes on the anchor (internal/attributes), and releases it (processor).
//
// This package has the factory and the configuration, [Config]. Its method settings converts a Config to the settings of the
// processor, and lists all faults. What is expected may also stand in a file, in a case or in an attribute (internal/expect).
//
//go:generate make generate
package toolcorrectnessprocessor // import "github.com/toolcorrectness/toolcorrectnessprocessor"

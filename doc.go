// Package toolcorrectnessprocessor is an OpenTelemetry Collector processor that scores the tool calls of AI agents.
//
// An agent that answers a request calls tools: it searches, looks up, refunds. Whether it called the right ones is a
// matter of comparing what it called with what was expected. Offline tools do so on test cases. This processor does it
// on the traces that pass through a collector:
//
//  1. It finds the spans of tool calls and agents, whatever instrumentation wrote them (internal/dialect).
//  2. It gathers the calls of one execution of one agent, a run (internal/agentrun). The agent's own span, the anchor,
//     is held until its calls have arrived; all other spans go on at once, but for those of calls where they are to say
//     what became of the call.
//  3. It finds the expectation of each metric: the first that is for it and whose condition holds on the anchor.
//  4. It aligns expected tools and calls, and scores the alignment (scoring). Each metric does so by its own method.
//  5. It writes score, reason and the rest on the anchor, and releases it (processor).
//
// This package is what users write: [Config], and the factory. Its settings method is the only way from there to what
// the processor runs on.
//
//go:generate make generate
package toolcorrectnessprocessor // import "github.com/toolcorrectness/toolcorrectnessprocessor"

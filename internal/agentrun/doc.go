// Package agentrun has the values that grouping works on: a [Span], an [Anchor], a [Call], a [ModelResponse] and a [Run].
//
// A run is one execution of an agent. Its anchor is the span that represents it and receives the verdict. A run has the
// tool calls of the agent, in order, and the anchors of other runs that turned out to be parts of it.
//
// The package decides nothing. Package tracebuffer, which is below it, makes runs of spans. The values have no lock and no
// clock.
//
// # Who sent a span
//
// A [Process] is the process that sent a span, by its resource. A [Scope] is the instrumentation in that process. Anyone who
// knows the ID of a trace can add spans to it. So most rules hold within one process: see [SpanKey] and [ProcessCallID].
//
// # Stored spans
//
// A caller may store spans to survive a crash. A [Checkpoint] names the records that can be removed once every span of a
// closing was released.
//
// # Files
//
//	span.go      ids, times, order          run.go         closed runs and batches of them
//	anchor.go    held spans and origins     callid.go      ids that only one call has
//	call.go      tool calls                 checkpoint.go  which records are obsolete
//	response.go  what models asked for      process.go     processes and instrumentations
//	settings.go  what a run is
//	pending.go   calls that wait for their run
package agentrun

// Package scan reads the spans of one batch. A [Batch] says what they are; the processor adds that to open traces, holds spans and
// counts.
//
// [Batch.Read] looks at every span once. Package dialect reads the span, and Read sorts the result:
//
//	Recognized  a span of an agent, a workflow, a model call, a tool call or a step around them, with the response of its model
//	Parents     a span that no dialect knows is only a link from its ID to its parent's ID
//	Candidates  a span that may have to be held: an agent's, a workflow's, a call's if verdicts are written there, or the first span of
//	            its process
//	Agents      where the spans of agents and workflows are. The caller removes from them what only we may write.
//
// A span without a trace ID belongs to no run, and is only counted.
//
// Most spans are ordinary. For such a span, Read looks at its attributes, copies two IDs, and checks whether it is the first
// of its process. It allocates nothing, and it looks nothing up.
//
// The package changes no span. It has no lock, no clock and no telemetry, and knows no open trace. The memory of a batch is used
// again, so what a batch returned is valid until [Batch.Reset].
//
// # Files
//
//	batch.go     what a batch says, and the memory of it
//	read.go      every span once
//	roots.go     the first span of a trace, and of a process
//	response.go  what a model call says of tool calls
//	sources.go   which process and which instrumentation sent a span
//	evidence.go  what a span records for the storage
package scan

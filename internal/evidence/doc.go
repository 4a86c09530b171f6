// Package evidence has what spans say about runs of agents: a [Fact] for each span that says something, a [Link] for each
// other span, and a [Held] for each span that waits for a verdict. The facts of the traces that belong together are a
// [Log]. Package runs makes runs of a log. A trace is stored whole: see [Trace.AppendBinary].
//
// What a span said never changes, so the order in which facts arrived means nothing, and a fact that arrives
// again says nothing new.
//
//	span.go     IDs, times, order
//	fact.go     facts, close reasons, the log, spans that wait
//	call.go     tool calls, and what models asked for and were shown
//	compact.go  copies of facts
//	encode.go   the stored bytes
package evidence

// Package evidence has what spans say about runs of agents: a [Fact] for each span that a dialect knows, a [Link] for each
// ordinary span, and a [Held] for each span that waits for a verdict. The facts of the traces that belong together are a
// [Log]. Package runs makes runs of a log. The bytes of a log in a storage are those facts: see [Trace.AppendBinary].
//
// A fact never changes. It is what one span said, so the order in which facts arrived means nothing, and a fact that arrives
// again says nothing new.
//
//	span.go     IDs, times, order
//	fact.go     facts, close reasons, the log, spans that wait
//	call.go     tool calls, and what models asked for and were shown
//	compact.go  copies of facts
//	encode.go   the stored bytes
package evidence

// Package heldspans takes spans out of their batch, weighs them, and counts what they share.
//
// A held span waits for its run to close. Meanwhile it takes memory: the span itself, and the resource and scope that it
// shares with other spans of its batch. [SpanWeight], [ResourceWeight] and [ScopeWeight] say how much, on the heap and as
// OTLP. [Use] and [Leave] count the spans that share an origin, so that it counts once.
//
// The caller finds the candidates of a batch: spans that represent a run or may do so. [Taken.Take] moves them out of the batch. A
// [Bound] may keep a candidate from being held, because its memory would be far more than what the sender sent. Such a span stays
// in the batch, and is counted.
//
// Weights are estimates from measured sizes. Tests of the processor compare them with the heap.
//
// # Files
//
//	take.go    out of the batch, and what is not held
//	weight.go  what spans take, and what they share
package heldspans

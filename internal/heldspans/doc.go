// Package heldspans weighs spans that leave their batch, and counts what they share.
//
// A held span waits for its run to close. Meanwhile it takes memory: the span itself, and the resource and scope that it
// shares with other spans of its batch. [SpanWeight], [ResourceWeight] and [ScopeWeight] say how much, on the heap and as
// OTLP. [Use] and [Leave] count the spans that share an origin, so that it counts once.
//
// Weights are estimates from measured sizes. Tests of the processor compare them with the heap.
package heldspans

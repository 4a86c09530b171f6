// Package heldspans takes spans out of their batch, weighs them, and gives them back in requests to the next consumer.
//
//	batch ── Taken.Take, within bounds ──> held spans wait for their run to close
//	judged runs ── Queue, by origin ──> Batch (at most 512 spans, 1 MiB) ──> next consumer
//	                                     ^                                     │ refuses permanently
//	                                     └── Divide: two halves, tried alone <─┘
//
// A held span takes memory: the span itself, and its origin, the resource and scope that it shares with other spans of its batch. The
// origin counts once. Weights are estimates from measured sizes; tests of the processor compare them with the heap. A span that crosses a
// [Bound] is not held: it stays in the batch, and is counted.
//
// # Invariants
//
//   - The own span of a run is in the last batch of the run, so that whoever has the verdict has its calls.
//   - Spans of one large resource or scope leave one after another, whichever runs they belong to. Each batch repeats the
//     resource and the scope, so a small request could make many large ones otherwise.
//   - The spans of one sender do not cost another sender's. A batch that is permanently refused is divided until a single span is refused.
//
// # Files
//
//	take.go     out of the batch, and what is not held
//	weight.go   what spans take, and what they share
//	release.go  takes the spans of runs; the order in which they leave, and which fit in a batch
//	divide.go   parts of a batch, refusals, and lost spans
package heldspans

// Package releasebatch builds the requests in which held spans leave the processor.
//
//	judged runs ── Queue, by origin ──> Batch (at most 512 spans, 1 MiB) ──> next consumer
//	                                     ^                                     │ refuses permanently
//	                                     └── Divide: two halves, tried alone <─┘
//
// In: closed runs with their verdicts, and other held spans, one after another ([Queue.Take], [Queue.PassRun], [Queue.Pass]).
// Out: one batch after another ([Queue.Next]), which the processor delivers and counts.
//
// # Invariants
//
//   - The own span of a run is in the last batch of the run, so that whoever has the verdict has its calls.
//   - Spans of one large resource or scope leave behind each other, whichever runs they belong to. Each batch repeats the
//     resource and the scope, so a small request could make many large ones otherwise.
//   - The spans of one sender do not cost another sender's. A batch that is permanently refused is divided ([Batch.Divide])
//     until a single span is refused, which is counted in [Loss].
//
// [Divisible] reports whether dividing may help against an error. [Refused] finds the spans that a partial error names.
//
// The package has no lock, no clock and no consumer.
//
// # Files
//
//	queue.go   takes the spans of runs, and the order in which they leave; start here
//	batch.go   which spans fit in a batch
//	divide.go  parts of a batch, refusals, and lost spans
package releasebatch

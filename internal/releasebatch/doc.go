// Package releasebatch builds the requests in which held spans leave the processor.
//
//	runs ── Builder ──> Batch (at most 512 spans, 1 MiB) ──> next consumer
//	                      ^                                     │ refuses permanently
//	                      └── Divide: two halves, tried alone <─┘
//
// In: closed runs and other held spans, one after another ([Builder.PlaceRun], [Builder.PassRun], [Builder.Pass]). Out: each
// full [Batch]. The processor writes attributes on its spans, delivers it and counts. A batch also has the storage records
// that become obsolete once the next consumer accepts it.
//
// # Invariants
//
//   - The own span of a run is in the last batch of the run. While it is stored, a start after a crash can score the run again.
//   - A batch has room for the attributes that will be written on its spans, so writing them does not exceed its bounds.
//   - The spans of one sender do not cost another sender's. A batch that is permanently refused is divided ([Batch.Divide])
//     until a single span is refused, which is counted in [Loss].
//
// [Group] brings runs of one large resource together, so that it does not leave once for each of them.
//
// [Divisible] reports whether dividing may help against an error. [Refused] finds the spans that a partial error names.
//
// The package has no lock, no clock and no consumer.
//
// # Files
//
//	builder.go  places the spans of runs; start here
//	batch.go    which spans fit, and the size of a batch
//	group.go    spans of one origin behind each other
//	divide.go   parts of a batch, and refusals
//	loss.go     lost spans, for the log
package releasebatch

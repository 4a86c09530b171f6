// Package selfmetrics records the metrics of the processor itself: what became of spans and runs, and what it retains.
//
// A counter without attributes needs no help, and the processor adds to it where the event is. This package has all the others:
//
//   - counters with attributes, such as the runs by their close reason. A [Recorder] makes each set of attributes once, because
//     making one for each run would cost more than judging it.
//   - gauges, which ask the processor for its totals when they are read: [Recorder.RegisterTotals], [Recorder.RegisterSet].
//
// The metrics of verdicts are in package verdictmetrics. docs/operations.md says what each metric means.
//
// The package has no lock and no clock. Goroutines may share a Recorder.
//
// # Files
//
//	labels.go    the attributes, and the recorder   counters.go  counters with attributes   gauges.go  totals
package selfmetrics

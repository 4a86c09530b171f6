// Package verdictmetrics records the metrics of verdicts: their number, scores, forbidden calls, and the delay from a run's
// end to its verdict.
//
// A [Recorder] records one run after another, and must not be called by two goroutines at once. It allocates only for a kind
// of verdict that is new: one expectation, agent, status and outcome of a metric. The configuration bounds the names of
// expectations. Senders choose the names of agents, so the settings bound how many of those the metrics have.
//
// If the Collector's telemetry carries exemplars, one leads from each measurement to the span of its run.
//
// The package has no lock and no clock: the caller passes the time.
//
// # Files
//
//	recorder.go  what is recorded of a verdict   agents.go    names of agents, as many as are told apart
//	labels.go    the attributes of a verdict     exemplar.go  from a measurement to the span of a run
package verdictmetrics

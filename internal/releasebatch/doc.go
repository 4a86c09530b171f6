// Package releasebatch has the spans that are released in one request. A [Batch] says which spans fit, counts how long it is on the
// wire, and knows what must be done in the storage once the next consumer has accepted it.
// A [Builder] fills batches: it places the spans of one run after another.
//
// What the next consumer refuses for good is divided, and the halves are tried: what one sender sent must not cost the others their
// spans. [Divisible] says whether dividing may help against a refusal. [Refused] finds the spans that an error names as not accepted.
//
// The package has no lock, no clock and no consumer. The processor has runs judged, delivers batches and counts.
//
// # Files
//
//	builder.go  the spans of runs, in the order in which they must leave
//	batch.go    what fits, and what it weighs
//	divide.go   parts, and what was refused
//	loss.go     what is lost
package releasebatch

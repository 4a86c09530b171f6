// Package releasebatch has the spans that are released in one request. A [Batch] decides which spans fit and counts its
// length on the wire. It has the records that become obsolete once the next consumer accepts it. A [Builder] fills batches:
// it places the spans of one run after another.
//
// A batch that is refused for good is divided, and the halves are tried, because spans of one sender must not cost the
// others theirs. [Divisible] says whether dividing may help against a refusal. [Refused] finds the spans that an error names
// as not accepted.
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

// Package copies finds what arrived twice: the calls, model responses and anchors of a span that was sent again.
//
// A span may arrive again: unchanged in a retried export, or with less if it was exported before it ended. Such copies are
// one. Copies that contradict each other are several, because each may be true: anyone who knows the IDs of a span can send
// another one. All of them are kept, and no run of the trace is complete.
//
//	span c: search(q: "x")   3-4         and again, equal: dropped
//	span c: search(q: "x")   3, no end   a copy that agrees: one call, from 3 to 4
//	span c: search(q: "y")   3-4         contradicts it: two calls
//
// Copies are looked for at two times. While spans arrive, equal ones are dropped ([DropCalls], [DropResponses]), so that a batch
// that is sent again and again takes little room. When a run closes, those that agree become one ([Settle], [AnchorsAgree]).
// The order of arrival never decides.
//
// Records of different spans are for package reconcile, which also fills in one from the other: [Absorb], [Complete].
//
// # What it costs
//
// A call is compared with at most [compare.MaxCandidates] others of its span. All work is counted: see [compare.Work].
//
// Anchors are spans. If only their bytes tell in which order copies are, each copy is written once for each sort. Equal copies
// are not compared further. Copies that differ are read up to [MaxRead] values in one closing. Beyond it they contradict each
// other, so their run is not complete. A map in another order costs a look-up for each entry.
//
// # Files
//
//	agree.go      two records: whether they are equal or agree, and what one fills in
//	calls.go      copies among many calls
//	responses.go  copies among model responses
//	anchors.go    copies of an anchor: whether they agree, which of them counts, and their order
//	values.go     two values of an attribute: whether they are equal
package copies

// Package places finds the place of a span in a list: of candidates, or of calls.
//
// A span is looked for by its ID, for a process. Several processes can send a span with one ID. A process takes nothing away from
// another, so its own span counts for it, or that of an unknown process. If the process has sent the span and the list does not have
// it, it has no place. Otherwise the span of another process counts.
package places

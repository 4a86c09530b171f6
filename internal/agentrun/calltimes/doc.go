// Package calltimes says when the calls of a closed run ran, for methods that ask which calls have no order among each other.
//
// When a run closes, [SetAskedBy] notes which response asked for each call. When the run is scored, [Set] gives each call its
// time. It is called last, because several traces may have calls of the run.
//
// # Files
//
//	asked.go  which response asked for a call    times.go  when a call ran
package calltimes

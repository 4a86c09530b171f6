// Package summaries remembers agents' runs that closed last, to recognize their model calls in other traces.
//
// An instrumentation of models may write a trace of its own for each model call. Without content, the agent's spans or those of
// the model have no call IDs. Then only the process, the time and the tools' names show that both record the same calls. So a
// [Cache] keeps a [record.Summary] of each closed run. Steps that a summary matches have no verdict, because their calls were
// judged.
//
// Content decides before names do. If both records have unique call IDs, the IDs must be the same. If both have arguments, names
// and times alone match nothing. Several steps may match one run. Then the first ones have no verdict, and the others are not
// complete.
//
// Only runs of processes that send steps are remembered: see [Senders]. So most runs cost nothing, and what another process sends
// makes no run remembered.
//
// # Files
//
//	summaries.go  the summaries, and which of them match steps
package summaries

// Package ownership decides which run owns a call.
//
// The trace buffer examines a trace when one of its runs closes. It gives a [Resolver] the candidates (runs that calls may
// belong to), the links from spans to parents, and the waiting calls and model responses. The Resolver gives each call and
// response to its owner. It knows no clock, and it opens, holds and closes nothing. Package parents has the links.
//
// # The rule
//
// A call belongs to its nearest agent ancestor. If the chain of parents is broken or reaches no agent, the times decide. The
// call belongs to the innermost candidate that contains it, else to the one that began first and had not ended. A closed run
// owns only calls in its time.
//
// A broken chain may also be one that is not complete yet: children leave before their parents. While the chain above the
// candidate is not complete either, and spans may still arrive, the call waits: see [Stays].
//
//	agent a   0 ├──────────────────────────┤ 9
//	  agent b     2 ├────────┤ 5
//	    call x      3 ├──┤ 4                    parent b: b owns x
//	  call y          3 ├─────────┤ 6           parent a: a owns y
//	  call z        3 ├─┤ 4                     parent unknown: b owns z, the innermost that contains it
//
// With [agentrun.Settings.Include] a call also counts for the runs around its owner. What one closing copies so is bounded by
// [MaxCopies]. With [agentrun.Settings.WholeTrace] the root owns everything.
//
// # What a candidate is
//
// A candidate is a span that represents a run, or may do so: see package represent. A tool below which an agent took steps is
// an agent that is inferred. Several loops of model calls below one span are several runs: see package loops.
//
// # Several processes
//
// A sender needs only the ID of a trace to put a span into it. So a process takes no call away from a run of another process. A
// call whose nearest agent is of another process counts for that agent, and for the nearest run of its own process.
//
// # What it costs
//
// Senders decide about the shape of a trace, so no shape may cost more than n log n. Each span is walked over once for each
// process, and all walks together take a bounded number of steps: see [parents.Table.Steps]. Candidates are put in order of time
// once many calls ask for them. All work is counted: see [compare.Work].
//
// # Files
//
//	candidate.go  a run that calls may belong to, what it is given, and its name: its own span's, else that of its steps
//	resolver.go   what is known of the trace that is examined
//	give.go       gives calls and responses to candidates
//	ancestors.go  the nearest candidate and the nearest call above a span
//	walk.go       the ways up from candidate to candidate; which runs around an owner take a call as well
//	time.go       the fallback by time, and whether something that is forgotten could lead elsewhere
//	inferred.go   what is around an inferred agent of unknown origin
//	processes.go  what a process may claim in a trace of several
package ownership

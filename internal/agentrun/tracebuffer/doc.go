// Package tracebuffer turns spans into closed runs.
//
// A run is one agent's execution: the tool calls between an agent span's start and end. Its anchor is the span that
// represents it and receives the verdict. Spans arrive in any order, in any batches, some of them twice, and usually
// children first. So nothing is decided on arrival. For every trace that is known to be agentic, a [Buffer] keeps
//
//   - the calls, as digests: IDs, times, name and (if a metric compares them) payloads,
//   - the links, span to parent, of all its spans,
//   - the anchors, which are held until their verdict, and, if the settings say so, the spans of calls.
//
// When a run closes, the buffer decides which run owns which call. [agentrun.CloseReason] names the four reasons: the wait
// after the anchor is over, the idle timeout passed, a limit was reached, or the processor shuts down.
//
// # Who owns a call
//
// Package ownership has the rule: the nearest agent ancestor, else the run whose time contains the call. A call that starts
// after the outermost anchor has ended waits for another anchor. It may belong to the next run of the trace, whose agent span
// follows its calls.
//
// Calls of unknown origin wait while the chain above the closing run is not complete either. When their trace goes idle, or
// is closed early, time decides about the calls that are left. A run is not complete if it overlaps a run that was closed
// this way. If an agent's span was seen and is not held, because its batch was refused, the buffer awaits it.
//
// Calls that wait are examined again each time that an agent of their trace closes. Each span that arrives pays for some of
// this work (package allowance). A trace that has spent more than its spans paid rests for a while. So no sender keeps a core
// busy with a few agents.
//
// With [Settings.Include] one closing copies calls into runs around their own, up to [ownership.MaxCopies]. A run that gets
// fewer calls than it should is not complete.
//
// Held spans that represent no run leave without a verdict.
//
// # One call, several spans
//
// Package reconcile has the rule. Several spans and model responses become one call if span, parent, call ID or arguments
// show that they record one call, and nothing contradicts it.
//
// Calls are ordered by start time, then by their places in the model's response if known, then by end time and span ID. The
// order of arrival never counts. So the same spans give the same runs, in whatever order they arrive.
//
// # Several traces
//
// A Buffer knows one trace at a time. What it closed may be a part of a longer run, which package correlate joins. A run
// that may be such a part waits a second time there.
//
// # What it is not
//
// There is no goroutine, lock or clock in this package. Time is an argument, and only one goroutine at a time may use a
// Buffer.
//
// # Files
//
//	buffer.go       the settings, and the spans that arrive
//	trace.go        what is known of an open trace, and how much memory it takes
//	observe.go      agents' spans that were seen and are not held, conversations, and steps of inferred agents; package byprocess
//	                has what each process of a trace said
//	hold.go         which spans are held
//	late.go         calls and anchors that arrive after their run has closed
//	candidates.go   the runs that calls of a trace may belong to
//	assign.go       gives calls to their runs
//	inner_runs.go   closes runs inside of a run that no span represents; package loops finds them
//	close.go        makes closed runs of an open trace, and says which are complete
//	deadlines.go    how long an anchor waits, and what is due or idle
//	evict.go        what closes early because of a limit
//	rest.go         traces that rest, and when their rest is over
//	responses.go    what models asked for, and results that they were shown
//	repeats.go      calls that arrive, and those that arrive again
//	pool.go         traces that are used again
//
//	records.go      which records a trace has, the checkpoints that make them obsolete, and what is left of a trace; package
//	                record has the bytes
//	restore.go      applies stored facts to a trace
//
// Tests whose file begins with ownership_, represent_, loops_ or reconcile_ play spans through a Buffer and test the rules of
// those packages. They stand here because a row of them is spans that arrive, which only a Buffer makes candidates and records
// of.
package tracebuffer

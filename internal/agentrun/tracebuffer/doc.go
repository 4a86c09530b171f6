// Package tracebuffer turns spans into closed runs.
//
// A run is one agent's execution: the tool calls between an agent span's start and end. Its anchor is the span that
// represents it and receives the verdict. Spans arrive in any order, cut into any batches, some of them twice, and
// mostly children first. So nothing is decided on arrival. A [Buffer] writes down, for every trace that is known to be
// agentic,
//
//   - the calls, as digests: ids, times, name and (where a metric compares them) payloads,
//   - the links, span to parent, of all its spans,
//   - the anchors, which are held: they wait for their verdict; and spans of calls, if the settings ask for it,
//
// and works out who called what when a run closes. There are four ways to close, named by [agentrun.CloseReason]: the anchor
// came and its wait is over; nothing came for the idle timeout; a limit was reached; the processor shuts down.
//
// # Who owns a call
//
// Package ownership has the rule: the nearest agent ancestor, else the run whose time contains the call. A call that starts
// only after the outermost anchor has ended waits for an anchor of its own, because the next run of the same trace sends its
// calls before its agent span.
//
// Calls of unknown origin wait while the chain above the closing run is not complete either. When their trace goes idle, or is
// cut off, time decides about the calls that are left. A run is not complete if it overlaps a run that was closed this way. An agent's span
// that was seen and is not held, because its batch was refused, is waited for.
//
// Calls that wait are looked at again each time that an agent of their trace closes. Each span that comes pays for some of
// this work (rest.go). A trace that has spent more than its spans paid is not looked at for a while, so that no sender keeps a
// core busy with a few agents.
//
// With [Settings.Include] one closing copies calls into runs around their own, as far as [ownership.MaxCopies] lets it. A run
// that gets fewer is not complete.
//
// Held spans that represent no run leave without a verdict.
//
// # One call, several spans
//
// Package reconcile has the rule: several spans and model responses become one call if they do not contradict each other, and
// span, parent, call ID or arguments say that they are of one call.
//
// Calls are ordered by start time, then by their places in the model's response where that is known, then end time and
// span id, never by arrival. So the same spans give the same runs, in whatever order they come.
//
// # Several traces
//
// A Buffer knows one trace at a time. What it closed may be a part of a longer run, which package correlate joins. A run
// that may be such a part waits a second time there.
//
// # What it is not
//
// There is no goroutine, lock or clock in this package: time is an argument, and the caller keeps a Buffer to one
// goroutine at a time.
//
// # Files
//
//	buffer.go       the settings, and the spans that arrive; Hold sets how long an anchor waits
//	trace.go        what is known of an open trace, and how much memory it takes
//	observe.go      agents' spans that were seen and are not held, conversations, and steps of inferred agents; package byprocess
//	                has what each process of a trace said
//	hold.go         which spans are held, and which arrive after their run has closed
//	candidates.go   the runs that calls of a trace may belong to
//	assign.go       gives calls to their runs
//	inner_runs.go   runs inside of a run that no span represents
//	close.go        makes closed runs of an open trace
//	deadlines.go    finds what is due, idle or evicted; it sets no wait
//	rest.go         when a trace is looked at again whose calls find no agent
//	call_spans.go   held spans of tool calls
//	responses.go    what models asked for, and results that they were shown
//	repeats.go      calls that arrive, and those that arrive again
//	pool.go         traces that are used again
//
//	records.go      which records a trace has, the checkpoints that make them obsolete, and what is left of a trace; package
//	                record has the bytes
//	restore.go      applies stored facts to a trace
//
// Tests whose file begins with ownership_ or reconcile_ play spans through a Buffer and test the rules of those packages. They stand
// here because a row of them is spans that arrive, which only a Buffer makes candidates and records of.
package tracebuffer

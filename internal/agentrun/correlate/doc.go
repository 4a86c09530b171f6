// Package correlate joins closed runs that are one, though their spans are in several traces.
//
// The trace buffer knows one trace at a time. What it closed may be a part of a longer run. A [Correlator] takes such runs,
// has them wait for each other, and makes one run of those that belong together.
//
// # What belongs together
//
//   - Duplicate runs: two instrumentations of one process record one run, each in a trace of its own. The runs share call
//     IDs. The run that began first stays, and takes over what the others know more.
//   - Model steps: an instrumentation of models has no span around a run, and each model call is a trace. A step was given
//     the results of calls that an earlier step asked for. The last step is the anchor of the whole run.
//   - Model calls of an agent's run that was recorded elsewhere: without content they have no call IDs. A summary of the closed
//     run shows them, by process, time and names. They are passed through: see package summaries.
//   - Conversations, if the settings ask for them: all runs with one conversation ID. The last anchor represents them.
//
// The anchors that do not represent the joined run are its companions, and leave without a verdict. No held span is lost or
// doubled, and no call counts for two runs.
//
// Runs of two processes are never duplicates or steps, because who knows an ID has no part in a run. Runs of one instrumentation
// are never duplicates: two equal call IDs of it are two calls. An ID counts only if [agentrun.IsUniqueCallID] says so.
//
// A model may also give a call the ID of another run's call. Two calls with one ID and one tool are one only if their arguments
// agree and their times do: see [agentrun.Run.SameTime]. Otherwise both count, and the runs contradict each other.
//
// # How long runs wait
//
// Duplicate runs end at the same time, so they wait for the settings' Wait. The next step follows when a tool is done, and
// the next turn of a conversation when a user responds. So both wait for the IdleTimeout. Each wait begins again with each
// run that comes. A run waits even if nothing joins it in the end. So [Correlator.Take] refuses runs that cannot be a part.
// Runs that a limit evicts are not complete, and neither are those that would have joined them: see [fairshare.LostKeys].
//
// # What it is not
//
// There is no goroutine, lock or clock: time is an argument, and the caller keeps a Correlator to one goroutine at a time.
// What a run or a call is compared with has a constant bound, and tests count the work.
//
// # Files
//
//	correlator.go  which runs may be parts, and the bundles that share an ID
//	deadlines.go   how long bundles wait, and what is due, evicted or closed
//	join.go        joins the runs of a bundle
//	duplicates.go  which runs of a bundle are duplicates
//	order.go       the order of runs and calls of several traces, and what they keep alive
package correlate

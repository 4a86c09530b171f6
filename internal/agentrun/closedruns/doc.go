// Package closedruns remembers runs that have closed, so that late spans are recognized.
//
// A span may arrive after its run has closed. Then it must not open the trace again, and must not become a run of its own. An
// open trace has its closed runs as [Runs]. When no run of a trace is open any more, its closed runs move to the [Cache]. If
// the trace opens again, they move back.
//
// # What is recognized
//
//   - The anchor of a closed run, when it comes again: [Runs.Closed], [Cache.Closed].
//   - The anchor of a run that closed without one: the run's time lies in the anchor's time.
//   - A call of a closed run ([Cache.Called]): its parent is the anchor, or its time is within that of a run without an
//     anchor.
//
// A span of another process recognizes nothing, because a sender that knows the ids of a run could close it.
//
// # What it costs
//
// The cache is a ring without pointers, of [CachedBytes] for each run. The oldest run falls out. If its spans come again, they look
// like a new run.
//
// # What may be forgotten
//
// [Dropped] says which runs may be forgotten, because they fell out, or because a limit closed a trace with all that was known of
// it. What may depend on them is not complete. An open trace knows only its last closed runs, too: see [Dropped.NoteTrim].
package closedruns

// Package processor is the only orchestrator: goroutine, clock and telemetry live here and nowhere else. It scans spans, holds those that
// represent runs, closes runs, has them judged, releases them, and recovers after a crash. Reading a span, grouping and judging are
// calculations in the packages that it calls.
//
// # The way of a span
//
//	scan      every span is looked at once: nothing, a tool call, an agent, a workflow, or a local root (package scan). Facts and
//	          parents go to the log of their trace (package open). Attributes that a sender wrote under our names are removed from agents' spans.
//	hold      anchors are moved out of the batch (package heldspans) and wait. The rest goes to the next consumer in the same
//	          call, and the caller gets its error.
//	close     a run closes: its anchor and the wait, the idle timeout, a limit, or the shutdown. Package runs makes
//	          runs of a log that was taken out, under no lock.
//	evaluate  each metric takes the first expectation for it whose condition holds on the anchor, scores the run, and writes its
//	          verdict on the run's spans (package evaluate); the results are counted and logged
//	release   many runs in a request to the next consumer, retried while it refuses for now. What it refuses for good is
//	          divided, and a span that is refused alone is lost and counted (package heldspans).
//	store     with a storage: records of what is open, written before a batch is forwarded (package journal)
//	recover   at the start: the records are replayed
//
// consume.go has what a batch goes through, tick.go what is due: it is examined, judged and released. lifecycle.go has the start, the
// shutdown and the goroutine's loop, and reload.go expectations that are read again while the processor runs.
//
// The processor holds anchors only after the rest of their batch was accepted. So an error covers the whole batch, and a
// sender may send the batch again: calls are known by their span ID. There is one exception. Copies of anchors whose run has
// closed in the meantime are forwarded. If the next consumer refuses those, the rest of the batch comes twice.
//
// For a span that belongs to no agent, its attributes are looked at and its two IDs are copied into the parent cache, under one lock for
// the batch. For each stretch of spans of one trace, the batch asks the agentic filter once (package lookup). Nothing else is locked,
// looked up in a map, copied or allocated.
//
// # Locks
//
// Open traces live in package open, behind one mutex. A log that is due is taken out and examined under no lock. Start begins
// a goroutine that closes what is due and releases it. While the next consumer refuses, the goroutine retries, and what is due
// waits in its log, where further calls still count. Shutdown takes over from the goroutine.
//
// # Accounts of spans
//
//	received       = forwarded + held + refused
//	held + resumed = released + failed + suspended + waiting
//
// Each of these is a metric.
//
// # What a crash leaves
//
// With a storage, a batch writes one transaction before any of its spans is forwarded: its evidence, and the spans that it
// holds. Once the next consumer accepted what closed, the records are replaced by what is left. The start replays
// them. docs/decisions/0010 gives the reasons.
package processor

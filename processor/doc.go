// Package processor is where spans, runs and verdicts meet. Goroutine, lock, clock, context and telemetry live here and
// nowhere else; recognising, gathering and scoring are calculations in the packages that it calls.
//
// # The way of a span
//
//	sift      every span is asked once (dialect.Read): nothing, a tool call, an agent, a workflow; or it is a root
//	disown    what a sender wrote under our attributes is removed from spans that are agents'
//	gather    calls and parent links are written down (agentrun.Buffer); anchors are moved out of the batch and held
//	forward   the rest goes to the next consumer in the same call, and its error goes back to the caller
//	close     anchor and wait, idle, limit or shutdown
//	judge     for each metric, the first expectation that is for it and whose condition holds on the anchor; its verdict
//	annotate  attributes on the anchor, and where asked for on the spans of its calls, which are held as well
//	release   to the next consumer, many runs a request, retried until it accepts
//
// Anchors are held only once the rest of their batch was accepted. So an error covers the whole batch, and a sender
// that tries again finds the processor as if it had never come: calls are known by their span id. The exception are
// copies of anchors that were judged meanwhile: if the next consumer refuses those, the rest of the batch comes twice.
//
// # What a span costs that belongs to no agent
//
// One look at its attributes, and its two ids in the links of its batch. The batch goes to a ring (links) under one
// lock, and asks once for each stretch of spans of one trace whether that is "surely not agentic" (agentic filter). Nothing
// else is locked, looked up in a map, copied or allocated for a span.
//
// # Locks
//
// Runs live in shards by trace id, one mutex each. The next consumer is never called under one. The goroutine that
// Start begins closes what is due and releases it; while the next consumer refuses, it stays with what it has, and
// what is due waits in the shards, where late calls still count. Shutdown takes over from it.
//
// # What becomes of spans
//
//	received       = forwarded + held + refused
//	held + resumed = released + failed + suspended + waiting
//
// Each of these but the last is a metric.
//
// # What a crash leaves
//
// With a storage, a batch writes what it told, and the spans that it holds, before anything of it goes on (journal,
// transaction). It is removed when the spans that it led to were accepted (agentrun.Checkpoint). The start tells the shards
// again what is left (resume). docs/decisions/0010 says why it is done so.
package processor

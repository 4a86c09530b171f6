// Package lookup has the five tables that every batch of spans is looked up in. They are bounded, and goroutines share them.
//
// Most spans belong to no agent. A look-up for such a span must take a few nanoseconds, and a table must not grow with the
// number of traces. So each table drops old entries, and takes at most the bytes of its limit.
//
//	AgenticFilter  is a trace surely not agentic? Counters by hash, without a lock. A wrong "maybe" costs one look into a shard.
//	ParentCache    which parents did the spans of a trace have, before the trace was known to be agentic? A ring, which knows
//	               until when links came that it has lost.
//	Processes      which process has this resource? A resource is hashed once while it comes in every request.
//	CallIDIndex    in which other trace was this call ID seen? Buckets by hash; a wrong answer costs a short wait. A bucket gives
//	               up IDs of the process that has most, and what others lose is known.
//	StepSenders    which processes sent model calls that may be steps? Two maps, of which the older one is forgotten as a whole.
//
// A [TraceKey] is the seeded hash of a trace ID that the filter, the cache and the processor's shards have in common.
//
// # Files
//
//	agentic.go    the filter       call_ids.go        the index
//	parents.go    the cache        call_id_losses.go  what the index gives up, and what others lose by this
//	processes.go  the processes    key.go             the hash
//	step_senders.go  the senders of steps
package lookup

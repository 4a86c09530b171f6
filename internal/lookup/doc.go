// Package lookup has what tells ordinary spans from those of agents at little cost: an [AgenticFilter] says which traces may have
// agents, and a [ParentCache] remembers the parents of spans that came before their trace was known to have any.
//
//	agentic.go  traces that may be agentic, without a lock; hashes of traces
//	parents.go  the ring of links
package lookup

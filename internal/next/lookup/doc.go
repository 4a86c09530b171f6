// Package lookup has a [ParentCache], which remembers the parents of ordinary spans that came before their trace was known to have
// agents.
//
//	parents.go  the ring of links
//	key.go      hashes of traces
package lookup

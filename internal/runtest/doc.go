// Package runtest has helpers for tests of agentrun and the packages below: spans and closed runs as short texts, pinned
// bytes, and counted growth. Tests alone import it.
//
// # Files
//
//	spans.go   spans from texts
//	say.go     closed runs as texts
//	pins.go    bytes that an earlier build wrote
//	growth.go  what n take, and what four times as many take
//	heap.go    what lives on the heap
//	object.go  JSON objects in two orders
package runtest

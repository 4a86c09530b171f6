// Package queue is a first-in, first-out list that gives back its room. The trace buffer keeps deadlines in one, and the
// correlator what it remembers. It has no lock.
//
// # Files
//
//	queue.go  the queue
package queue

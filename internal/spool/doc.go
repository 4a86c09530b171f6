// Package spool sorts verdicts that do not fit into memory. It keeps them in memory up to a bound, and beyond it writes sorted
// parts to temporary files, which are read side by side.
//
//	Spool  takes the rows of one run after the other
//	Sorted reads them in order, as often as needed
//
// The temporary files have no name while they are in use, where the system allows it, so a process that is killed leaves none.
package spool

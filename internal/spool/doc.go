// Package spool sorts the rows of a report that may not fit into memory.
//
//	Add  rows of a run ─┬─ in memory, up to a bound
//	                    └─ beyond it: sorted and written to a temporary file, a part
//	Sorted ──────────────── merges the parts, as often as the report is read
//	Close ───────────────── removes the parts
//
// In: the rows of one run after another ([Spool.Add]), in any order. Out: all rows in a [report.Order] ([Spool.Sorted]). The
// rows of one run stay together. Reading takes 64 KiB for each part, however long the parts are.
//
// Parts are compressed. If the system allows it, their files have no name while they are open, so that a killed process
// leaves none.
//
// # Files
//
//	spool.go  runs in memory and parts on disk; start here
//	merge.go  reads parts side by side
package spool

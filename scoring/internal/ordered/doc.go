// Package ordered pairs rows and columns so that no two pairs cross: if a pair has a later row than another, it has a later
// column as well.
//
// Methods that mind the order use it. Rows may be expected tools and columns calls; this package does not know.
//
//   - [Common] finds the most pairs if all pairs are worth the same: the longest common subsequence. It computes 64 cells at
//     once.
//   - [Table] finds the pairs of greatest weight. A row may have to be paired, may be left out, or may take any number of
//     columns. It is dynamic programming over the first rows and the first columns.
//   - [Steps] does so with weights that are floating point, added up in the order of the libraries that reference methods
//     reproduce. Rows and columns may be left out.
//
// All keep a table of rows times columns, at one bit, two bits or a byte a cell, because the way back needs it. The caller
// bounds rows and columns. Common and Table use their memory again, by one goroutine at a time.
//
// # Files
//
//	common.go  the longest common subsequence
//	table.go   pairs of greatest weight
//	steps.go   pairs of greatest weight, in floating point
package ordered

// Package ordered pairs rows and columns so that no two pairs cross: a pair with a later row has a later column as well.
//
// Methods use it if the order counts. Rows may be expected tools and columns calls.
//
//   - [Common] finds the most pairs if all have the same weight: the longest common subsequence. It computes 64 cells at
//     once.
//   - [Table] finds the pairs of greatest weight. A row must be paired, may be left out, or may take any number of columns.
//     It is dynamic programming.
//   - [Steps] finds them for floating-point weights, added up in the order of the libraries that reference methods reproduce.
//     Rows and columns may be left out.
//
// All keep a table of rows times columns, because the walk back needs it. A cell takes one bit, two bits and a byte. The
// caller must bound rows and columns. Common and Table reuse their memory, by one goroutine at a time.
//
// # Files
//
//	common.go  the longest common subsequence
//	table.go   pairs of greatest weight
//	steps.go   pairs of greatest weight, in floating point
package ordered

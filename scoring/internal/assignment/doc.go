// Package assignment gives rows columns so that the sum of their gains is greatest: the assignment problem.
//
// The native method uses it where tool calls compete for expected tools with shares of credit, so that no order of either
// list can spoil a score. Rows may be tools and columns calls, or the other way round; this package does not know.
//
// [Gains.Assign] is the algorithm of Kuhn and Munkres with the shortest augmenting paths of Jonker and Volgenant. It keeps
// a price for each row and each column. The two prices of a cell are at least its gain, and equal to it where the row has
// the column. So no other assignment gains more.
//
// A gain is a [Weight] of two ranks, because required tools come before optional ones: whatever an optional tool could
// gain, it never costs a required one its call. Weights are integers, so sums are exact.
//
// The work grows with rows*rows*columns and the memory with rows*columns. The caller bounds both.
package assignment

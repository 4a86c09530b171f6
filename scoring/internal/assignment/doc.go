// Package assignment solves the assignment problem: it gives each row a column so that the sum of the gains is greatest.
//
// The native method needs it if tool calls compete for expected tools with partial credits. Rows may be tools and columns
// calls, or the other way round.
//
// [Gains.Assign] is the algorithm of Kuhn and Munkres with the shortest augmenting paths of Jonker and Volgenant. It keeps a
// price for each row and each column. The sum of the two prices of a cell is at least its gain, and equal to it if the row
// has the column. So no other assignment gains more.
//
// A gain is a [Weight] of two ranks, because required tools come before optional ones: an optional tool never costs a
// required one its call. Weights are integers, so sums are exact.
//
// The work grows with rows*rows*columns and the memory with rows*columns. The caller bounds both.
package assignment

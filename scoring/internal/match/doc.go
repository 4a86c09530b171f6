// Package match gives columns rows so that the sum of credits is greatest. In the native method, columns are calls and rows are
// expected calls.
//
// A [Shape] is the rows. Rows with the same credits for every column are one class. A row must have a column, may have one, or
// takes any number. The shape of the tools a, b {min: 1, max: 2} and a is
//
//	row    0 a   1 b   2 b optional   3 a
//	class  0     1     1              0
//
// [Edges] are the credits, by class and column. A class and a column without an edge cannot be paired. [Pairs] are a solution.
// The best one has the greatest [Weight]: the most credit in required rows, and among equals the most in other rows. Weights are
// integers, so sums are exact.
//
// Three functions solve the problem, each under another rule:
//
//	[Assigner.Assign]   columns have no order: an assignment by shortest augmenting paths
//	[InOrder.Pair]      rows and columns have an order, and pairs do not cross: dynamic programming over the edges
//	[Concurrent.Pair]   columns have intervals, and those that overlap have no order: dynamic programming over sets of columns
//
// Each counts its work or has a bound on its table, which its comment states.
package match

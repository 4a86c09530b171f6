// Package pairing has the types of one problem: give columns rows so that the sum of credits is greatest.
//
// In the native method, columns are calls and rows are expected calls.
//
// A [Shape] is the rows. Rows with the same credits for every column are one class. A row must have a column, may have one,
// or takes any number. The shape of the tools a, b {min: 1, max: 2} and a is
//
//	row    0 a   1 b   2 b optional   3 a
//	class  0     1     1              0
//
// [Edges] are the credits, by class and column, from 1 to [Full]. A class and a column without an edge cannot be paired.
// [Pairs] are a solution: the row of each column. The best solution has the greatest [assignment.Weight]: the most credit in
// required rows, and among equals the most in other rows.
//
// Three packages solve the problem, each under another rule:
//
//	bipartite      columns have no order: any column may have any row
//	pairing        rows and columns have an order, and pairs do not cross: see [InOrder]
//	intervalorder  columns have a partial order: the best of all orders that agree with it
//
// # Files
//
//	shape.go     rows and classes
//	edges.go     credits
//	pairs.go     which row a column has
//	in_order.go  pairs that do not cross
package pairing

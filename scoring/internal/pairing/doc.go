// Package pairing has the values of one problem: columns get rows, so that the sum of credits is greatest.
//
// The native method asks it of calls (columns) and expected calls (rows). This package does not know. It has the problem
// and its solution, and one of the ways to solve it.
//
// A [Shape] is the rows. Rows that are worth the same for every column are one class. A row must have a column, may have one,
// or takes any number. The tools a, b {min: 1, max: 2} and a make
//
//	row    0 a   1 b   2 b optional   3 a
//	class  0     1     1              0
//
// [Edges] are the credits, by class and column. A credit is from 1 to [Full]. A class and a column without an edge are no
// pair. [Pairs] say which row each column has. A solution of greatest [assignment.Weight] has the most credit in required
// rows, and among those the most in other rows.
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

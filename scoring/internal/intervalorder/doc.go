// Package intervalorder finds the best order of columns that have intervals of time, and with it the best pairs of rows and
// columns: see package pairing for the problem.
//
// A column comes before another one if its interval was over when the other began. Columns whose intervals overlap have no
// order among each other. Such a partial order is an interval order (Fishburn 1970). Any order of the columns that agrees with
// it may be taken, and pairs must not cross in that order. [Problem.Improve] finds the greatest weight over all those orders.
//
// # An example
//
// Rows are x and y. Column 0 is of y and lasts from 1 to 3, column 1 is of x and lasts from 2 to 4. As they began, y comes
// first, and only one pair does not cross. The intervals overlap, so x may come first as well, and both are paired. If column 1
// began at 3, y would be over, and one pair would be the best.
//
// # How
//
// The columns are divided into groups: each group is over before the next one begins. A group is a stage of dynamic
// programming, which maps the weights of the rows before it to those behind it:
//
//   - A mixed stage has columns of which some come before others. It goes through the down-sets of the order, as a sum over
//     linear extensions does: sets that contain, with each column, all that come before it. Columns that are alike in their
//     credits and in what comes before and behind them are taken in one order, which saves most sets.
//   - A set stage has columns without any order. It is an assignment of rows to columns: see package assignment.
//
// The number of sets can double with each column, so all work is counted and bounded by [MaxWork]. A group with too many
// sets is treated as if it had no order. That can only gain more. If even then nothing is gained, the pairs are the best
// ones. Otherwise the outcome is [TooMuch].
//
// # Files
//
//	interval.go  intervals, and groups that follow each other
//	search.go    the stages, one after the other
//	bound.go     weights that no order exceeds
//	group.go     the columns of a group, and which are alike
//	mixed.go     a group of columns of which some come before others
//	set.go       a group of columns without any order
package intervalorder

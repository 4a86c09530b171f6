// Package intervalorder finds the best pairs of rows and columns if columns have intervals of time. Columns whose intervals
// overlap may be in any order. See package pairing for the problem.
//
// A column comes before another one if its interval was over when the other began. This partial order is an interval order
// (Fishburn 1970). Pairs must not cross in some total order of the columns that agrees with it. [Problem.Improve] finds the
// greatest weight over all those orders.
//
// # An example
//
// Rows are x and y. Column 0 matches y and lasts from 1 to 3, column 1 matches x and lasts from 2 to 4. In the order of their
// starts, the two pairs cross, so only one counts. But the intervals overlap, so column 1 may come first, and both pairs
// count. If column 1 began at 3, column 0 would be over, and only one pair would count.
//
// # How
//
// The columns are divided into groups, each of which is over before the next one begins. A group is a stage of dynamic
// programming. It maps the weights of the rows passed before the group to those of the rows passed behind it:
//
//   - In a mixed stage, some columns come before others. It enumerates the down-sets of the order: sets that contain, with
//     each column, all columns before it. Interchangeable columns are taken in one order, which saves most sets.
//   - In a set stage, no column comes before another. It is an assignment of rows to columns: see package assignment.
//
// The number of sets can double with each column, so all work is counted and bounded by [MaxWork]. A group with too many sets
// is treated as if it had no order, which gives an upper bound. If even that gains nothing, the pairs are the best ones.
// Otherwise the outcome is [TooMuch].
//
// # Files
//
//	interval.go  when one column is before another, and groups that follow each other
//	search.go    the stages, one after the other
//	bound.go     weights that no order exceeds
//	group.go     the columns of a group, and which are alike
//	mixed.go     a group of columns of which some come before others
//	set.go       a group of columns without any order
package intervalorder

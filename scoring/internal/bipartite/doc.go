// Package bipartite finds the best pairs of rows and columns if neither has an order: see package pairing for the problem.
//
// If all credits are full, the problem is a maximum matching in a bipartite graph. On one side are classes, each with room
// for several columns, and on the other side columns. The algorithm is that of Hopcroft and Karp (1973). Each round finds the
// shortest chains of exchanges that win a column, and makes those that do not overlap. Required rows are filled first. A
// chain never takes a column from a class without giving it another, so the other rows cost no required row its column.
//
// Partial credits need an assignment by weight: see package assignment. Only classes that compete, directly or through
// others, for the same columns need it, and only if one of them has a partial credit. Union-find (Tarjan 1975) finds such a
// group, and all other classes keep the matching. The work of an assignment grows with the third power of the group. So a
// group beyond a bound is paired greedily, which reaches at least half of the greatest credit of required rows.
//
// Example: class 0 may have columns 0 and 1, class 1 column 0 alone, and each has room for one. The first round gives column
// 0 to class 0, or to class 1. If it is class 0, the second round finds a chain: class 1 gets column 0, and class 0 gets
// column 1 instead.
//
// # Files
//
//	matcher.go   the Matcher, and the matching
//	groups.go    groups of classes that compete
//	weighed.go   an assignment by weight for a group
//	greedy.go    the pairing of a group that is too large
package bipartite

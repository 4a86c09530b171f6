// Package bipartite pairs columns with rows if neither has an order: see package pairing for the problem.
//
// If all credits are full, the problem is a maximum matching in a bipartite graph: classes on one side, each with room for
// several columns, and columns on the other. The algorithm is that of Hopcroft and Karp (1973): each round finds the shortest
// chains of exchanges that win a column, and makes as many as do not overlap. Required rows are filled first. A chain never
// takes a column from a class without giving it another, so the other rows cost no required row its column.
//
// Partial credits need an assignment by weight: see package assignment. Only classes that compete, directly or through
// others, for the same columns need it, and only if one of them has a partial credit. Such a group is found by union-find
// (Tarjan 1975), and all other classes keep the matching. The work of an assignment grows with the third power of the
// group, so a group beyond a bound is paired greedily: that reaches at least half of the greatest credit of required rows.
//
// Example: class 0 may have columns 0 and 1, class 1 column 0 alone, and each has room for one. The first round gives column 0
// to class 0, or to class 1. If it is class 0, the second round finds the chain class 1, column 0, class 0, column 1:
// class 1 gets column 0, and class 0 gets column 1 instead.
//
// # Files
//
//	matcher.go   what is called, and the matching
//	groups.go    groups of classes that compete
//	weighed.go   an assignment by weight for a group
//	greedy.go    the pairing of a group that is too large
package bipartite

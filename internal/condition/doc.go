// Package condition has what the conditions of expectations are made of: OTTL's functions, bounded in what they read.
//
// A condition is asked of the span of every run, and reads texts that others choose. A regular expression takes some 50 ns
// for a byte. The attributes of a resource come once and are read for each of its runs: a request of 2.6 MB, with one long
// attribute and 5,000 runs, held up all verdicts for 40 s.
//
//   - A function fails on a text of more than [MaxText] bytes, and on a map or a list of more than [MaxNested]. To cut it
//     would have the condition hold where it does not.
//   - Of a longer text that many runs share a function gives its answer once: see [Remember].
//   - Shorter texts are read anew for each run, which takes less than to judge it.
//
// So the work of a condition grows with what came, plus a constant for each run. Comparisons without a function have no
// bound: OTTL compares lengths first.
package condition

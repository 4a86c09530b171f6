// Package ottlfunctions has the functions that conditions may call: OTTL's own, with bounds on what they read.
//
// A Collector may receive thousands of runs in a second, and the texts that conditions read are written by strangers. A regular
// expression takes some 50 ns for each byte. The attributes of a resource arrive once and are read for each of its runs. Without
// bounds, a request of 2.6 MB with one long attribute and 5,000 runs delayed all verdicts by 40 s. So [Functions] are OTTL's
// functions with three rules:
//
//   - A function fails on a text of more than [MaxText] bytes, and on a map or a list of more than [MaxNested] elements.
//     If it read a part instead, a condition could hold where it does not.
//   - A function gives its answer once for a longer text that many runs share: see [Remember].
//   - Shorter texts are read anew for each run. That takes less time than the verdict.
//
// So the work of a condition grows with the size of the request, plus a constant for each run. Comparisons without a
// function need no bound, because OTTL compares lengths first.
//
// The bounds are put around the arguments of a function, which are found by their types when a condition is parsed
// ([FunctionsOf]). Constants need no bound.
//
// # Files
//
//	functions.go  OTTL's functions, and the arguments that are bounded
//	bounds.go     what they may read
//	memory.go     answers for long texts
package ottlfunctions

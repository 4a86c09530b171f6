// Package condition evaluates the conditions that users write under `when`. It defines which functions they may call, and
// skips conditions that cannot hold on a span.
//
// A condition is OTTL in the span context. It is evaluated on the span that represents a run. A configuration may have
// thousands of conditions, and a Collector may receive thousands of runs in a second. The texts that conditions read are
// written by strangers. Two ideas keep the work bounded.
//
// # Fewer conditions
//
// Nearly every condition requires an equality, such as attributes["gen_ai.agent.name"] == "support". [Required] reads
// such equalities from the text of a condition. [Index] looks the span's values up and returns the conditions that may
// hold. All others are false and would not fail, so they are not evaluated.
//
// # Bounded functions
//
// A regular expression takes some 50 ns for each byte. The attributes of a resource arrive once and are read for each of its
// runs. Without bounds, a request of 2.6 MB with one long attribute and 5,000 runs delayed all verdicts by 40 s. So
// [Functions] are OTTL's functions with three rules:
//
//   - A function fails on a text of more than [MaxText] bytes, and on a map or a list of more than [MaxNested] elements.
//     If it read a part instead, a condition could hold where it does not.
//   - A function gives its answer once for a longer text that many runs share: see [Remember].
//   - Shorter texts are read anew for each run. That takes less time than the verdict.
//
// So the work of a condition grows with the size of the request, plus a constant for each run. Comparisons without a
// function need no bound, because OTTL compares lengths first.
//
// # Files
//
//	required.go   the equalities that a condition requires   functions.go  OTTL's functions
//	tokens.go     the words of a condition                   bounds.go     what they may read
//	equality.go   paths and their values on a span           memory.go     answers for long texts
//	index.go      the conditions that may hold               never.go      conditions that hold nowhere
//	locate.go     where a name stands in a condition
package condition

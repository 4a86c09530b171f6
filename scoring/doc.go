// Package scoring compares an agent's tool calls with the expected ones. It returns a score and a reason.
//
// The package is pure: no clock, no goroutine, no input or output, the standard library only. The same arguments always
// give the same verdict and the same reason.
//
// # Terms
//
// An [Expectation] says what an agent should do: expected tools, and perhaps forbidden ones or a limit. A list of [Call] says
// what it did, in the order of the run. A [Method] pairs the two in an [Alignment] and computes a score from the pairs: the
// [Verdict]. A run that cannot be scored gets no score, not a score of 0. The [Status] of a verdict says which:
//
//   - [Scored]: there is a score.
//   - [NotEvaluable]: the telemetry lacks what is compared, or the run exceeds a limit.
//   - [Failed] and [Undefined]: the original of a reference method crashes on this input, or yields NaN.
//
// [Verdict.Reason] explains a verdict of any method in a sentence or two, and [Verdict.Findings] gives the same facts
// as data.
//
// Arguments and output of a call are each a [Payload]. It stays text until a method compares it. Then it becomes a [Value],
// which keeps the written form of numbers and the order of keys, because methods have different rules of equality. "Not
// captured", "too large", "none" and "empty" are four different payloads.
//
// # The native method
//
// [Native] finds the pairs of greatest total credit, so a score does not depend on the order in which it tries them. Without an order
// it is an assignment of maximum weight, in order a weighted longest common subsequence. [NativeOptions] and the types of its fields say
// what each option means.
//
// A tool may have several names, a name with *, a count or a condition, or be optional; see [Tool]. Required calls are
// matched first. Optional calls never count for recall and never against precision. A tool that states no arguments matches
// any. null arguments are no arguments. Credits are whole numbers of a unit that 1 to 36 divide. A score is an exact ratio
// that is rounded once, to the nearest float64.
//
// The score is 0 after a forbidden call, after more than max_calls, or under exact if the number of calls is wrong. The
// reason says so. If needed arguments were not captured, the run is not scored, unless they could not change the score.
//
// # Limits
//
// The work is bounded for every input. JSON nests at most 1,000 levels deep. A tool's count is at most 1,000, and an
// expectation has at most 50,000 calls: model_fault.go. A run beyond one of these limits is not scored:
//
//	calls of a run                        10,000
//	cells, expected tools times calls  1,048,576    in all lists together; if the order counts, expected calls times calls
//	steps of comparing               268,435,456    a byte of a name, a pattern or a payload; 64 for a call and a list
//	steps of an assignment            67,108,864    internal/match; a step takes some nanoseconds
//	cells for calls at the same time  16,777,216    internal/match; times the calls that may be last
//
// A reason is at most 1,024 bytes.
//
// # Methods of other systems
//
// Six methods reproduce the scores of other systems, with their oddities. Their options have the names and defaults of the
// originals.
//
//	method               counts                           ignores                    surprises
//	axion                expected calls matched, first    output, extra calls        strict order is all or nothing;
//	                     come first served                (under recall)             nothing expected, something called: 0
//	deepeval             best call for each tool in turn  extra calls                identical repeated calls count once
//	deepeval_multimodal  the same, as it was to 3.7.4     extra calls                calls without arguments match nothing
//	evalsharp            best call for each tool in turn  extra calls                lists and nested objects are never equal
//	galtea               sets of names, equal or not      order, repeats, payloads   1 or 0, nothing between
//	eval_lib             a multiset of names              payloads, extra calls      nothing expected: 1 whatever was called (0.7: 0)
//
// # Files
//
// Read model* first: expectations and calls. native* is the native method, reference* the methods of other systems, and
// verdict* verdicts and reasons. native_options.go says which file implements which option. Other packages know no tools:
//
//	jsonvalue         a value of JSON, its decoder and its equality
//	internal/match    the best pairs of rows and columns: without an order, in order, with times that overlap
//	internal/compare  values that agree in part, equality in other languages, outputs, differences
//	internal/names    patterns with a *, names against lists, names that can be shown anywhere
//	internal/difflib  how alike two texts are
package scoring

// Package scoring compares an agent's tool calls with the expected ones. It returns a score and a reason.
//
// The package is pure: no clock, no goroutine, no input or output, the standard library only. The same arguments always
// give the same verdict and the same reason.
//
// # Terms
//
// An [Expectation] says what an agent should do: expected tools, and perhaps forbidden ones or a limit. A list of [Call] says
// what it did, in the order of the run. A [Method] pairs the two in an [Alignment] and computes a score from the pairs: the
// [Verdict]. A run that cannot be scored gets no score, not a score of 0. The [Status] of a verdict says why:
//
//   - [Scored]: there is a score.
//   - [NotEvaluable]: the telemetry lacks what is compared, or the run exceeds a limit.
//   - [Failed] and [Undefined]: the original of a reference method crashes on this input, or yields NaN.
//   - [Pending]: a tool request of the conversation has no result yet.
//
// [Verdict.Reason] explains a verdict of any method in a sentence or two, and [Verdict.Findings] gives the same facts
// as data.
//
// Arguments and output of a call are each a [Payload]. It stays text until a method compares it. Then it becomes a [Value],
// which keeps the written form of numbers and the order of keys, because methods have different rules of equality. "Not
// captured", "too large", "none" and "empty" are four different payloads.
//
// # The methods
//
// [Native] finds the pairs of greatest total credit, so a score does not depend on the order in which it tries them. 1 to 36 divide
// the full credit, so that credits are whole numbers. A score is an exact ratio that is rounded once, to the nearest float64.
//
// Six methods reproduce the scores of other systems, with their oddities. Their options have the names and defaults of the
// originals. docs/methods.md and docs/methods-of-others.md say what each method counts.
//
// The work is bounded for every input, and a run beyond a limit is not scored: see [maxCalls], [maxCells], [maxWork],
// [maxConcurrentWork], [match.MaxSteps] and [compare.MaxSteps]. The faults of an expectation bound its size: [Fault].
//
// # Files
//
// Read model* first: expectations and calls. native* is the native method, reference* the methods of other systems, and
// verdict* verdicts and reasons, and turns.go conversations. native.go says which file implements which option. Other packages know no tools:
//
//	jsonvalue         a value of JSON, its decoder and its equality
//	internal/match    the best pairs of rows and columns: without an order, in order, with times that overlap
//	internal/compare  values that agree in part, equality in other languages, outputs, differences
//	internal/names    patterns with a *, names against lists, names that can be shown anywhere
package scoring

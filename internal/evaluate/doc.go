// Package evaluate judges a closed run. It chooses the expectations that the run meets, has the metrics score it, and writes the
// verdicts on its spans. The configuration makes its [Settings] and its [ExpectationSet].
//
// The package has no telemetry, no clock, no lock and no goroutine. [Evaluator.Judge] fills an [Evaluation] for the
// caller's metrics and logs: the [Report], what was written on each span, failures of conditions, and problems with
// expectations.
//
// # One run
//
//	calls     calls that do not count are left out
//	choose    each metric takes the first expectation for it whose condition holds on the anchor. A condition is
//	          evaluated at most once a run.
//	expected  what the run is measured against: the expectation's tools, those of a case, or those that the anchor states
//	score     each metric with an expectation judges the calls (package scoring). Conditions on calls read the run.
//	annotate  attributes on the copies of the run's own span and, if configured, on the spans of its calls
//
// # Files
//
//	evaluate.go  what runs are judged by, the evaluator, the way of a run, its report, and the calls that count
//	choose.go    the first condition that holds, what is expected, conditions on calls, and conditions that fail
//	annotate.go  what is written on spans, also in the form of LangWatch
package evaluate

// Package conditions compiles and evaluates the OTTL that users write: `when` of an expectation, `where` of an expected tool,
// and the key of a dataset.
//
// `when` and keys are read in OTTL's span context, on the span that represents a run. `where` has a context of its own, one call
// and the run that made it:
//
//	name                            the name of the tool, a string
//	arguments, arguments["a"]["b"]  what the agent passed to the tool, decoded from JSON
//	output, output["a"][0]          what the tool returned, decoded from JSON, without content blocks around it
//	status                          "ok", "error" or "unset"
//	duration                        how long the call took
//	index                           the place of the call in the run, from 0
//	run.attributes["a"]             attributes of the span that represents the run
//	run.resource.attributes["a"]    attributes of its resource
//
// A missing key is nil, as in OTTL's own contexts. A payload that was not captured is no value: the run is then not scored. A
// condition that fails does not hold, and leaves a run with a forbidden tool without a score.
//
// # Bounds
//
// Strangers write what conditions read, and one resource may be read for each of thousands of runs. So a run is not scored if a
// function of a condition would read a value of more than [MaxBytes], if the span, its scope or its resource has more than
// [MaxAttributes], or if the conditions on its calls would read more than [MaxShared] of long attributes. Comparisons need no bound,
// because OTTL compares lengths first.
//
// parser.go has the three kinds of texts and the functions in them, run.go the paths of a call and the evaluation on the calls of a run.
package conditions

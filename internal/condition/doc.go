// Package condition reads the text of the conditions that users write under `when`, and skips conditions that cannot hold on a
// span.
//
// A condition is OTTL in the span context. It is evaluated on the span that represents a run. A configuration may have
// thousands of conditions, and a Collector may receive thousands of runs in a second.
//
// Nearly every condition requires an equality, such as attributes["gen_ai.agent.name"] == "support". [Required] reads
// such equalities from the text of a condition. [Index] looks the span's values up and returns the conditions that may
// hold. All others are false and would not fail, so they are not evaluated.
//
//	condition 0   attributes["gen_ai.agent.name"] == "support"
//	condition 1   attributes["gen_ai.agent.name"] == "billing" and name != "test"
//	condition 2   IsMatch(name, "^invoke")
//
//	a span of the agent billing: conditions 1 and 2 may hold
//
// [Never] finds conditions that hold on no span, for a warning. A condition that the package does not understand requires
// nothing, and may hold. The functions that conditions call, with their bounds, are in package ottlfunctions.
//
// # Files
//
//	required.go   the equalities that a condition requires   tokens.go  the words of a condition
//	equality.go   paths and their values on a span           never.go   conditions that hold nowhere
//	index.go      the conditions that may hold               locate.go  where a name stands in a condition
package condition

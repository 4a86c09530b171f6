// Package attributes holds what the project agrees on about span attributes: the names of those that it writes, and the
// text of a value.
//
// # Names
//
// The processor writes two groups of attributes on a span that represents a run. Those of the run have fixed names, such
// as [Called]. Those of a metric begin with the metric's name: see [Keys]. The metric called "tool_correctness" shares its
// prefix with the run, so [NameProblem] rejects names that would collide.
//
// To add an attribute, add its name to [RunKeys] or to [Keys], and write it in internal/evaluate/annotate.go. The room
// that a span reserves and the removal of attributes that a sender forged ([Reserved]) follow from these lists.
//
// A log record of a verdict has the names of the semantic conventions: see [EvaluationEvent].
//
// A value may be a map or a list: [AppendJSON] and [TextWithin] make a text of it.
package attributes

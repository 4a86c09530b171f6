// Package attributes holds what the project agrees on about span attributes: the names of those that it writes, and the
// text of a value.
//
// # Names
//
// The processor writes two groups of attributes on a span that represents a run. Those of the run have fixed names, such
// as [Called]. Those of a metric begin with the metric's name: see [Keys]. The metric called "tool_correctness" shares its
// prefix with the run, so [Reserved] names metrics that would collide. Whoever adds an attribute adds its name here, to
// [OfRun] or to [Keys.OnAnchor], and writes it in processor/annotate.go. The capacity that a span reserves and the
// removal of attributes that a sender forged follow from these lists.
//
// # Values
//
// OpenTelemetry's values may be maps and lists. [AppendJSON] writes any of them as JSON, always the same text for the
// same value. [TextWithin] does so for values from strangers, which may be long: it looks at no more than a limit.
package attributes

// Package callcondition evaluates the conditions that users write as `where` of an expected tool.
//
// A condition is OTTL in a context of its own: one tool call, and the run that made it. [Parser] compiles a text once. A
// [Run] evaluates compiled conditions on the calls of one run.
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
// # What the context decides
//
// A key that is missing is nil, as with attributes in OTTL. Arguments that are null or known to be none are an empty map.
// A payload that was not captured is no value: the result then says so, and the run is not scored. The functions are
// OTTL's own with the bounds of package ottlfunctions. A condition that fails does not hold. On a forbidden tool, the run is
// then not scored.
//
// # What a condition may read
//
// Payloads have the bound of limits.arguments_kib. Attributes of a run are read again for each of its calls. Therefore long
// values of attributes count against [MaxShared], and a run whose conditions would read more is not scored. Package
// ottlattributes finds the attributes, so that no call walks all of them.
//
// # Files
//
//	parser.go  texts to conditions, and errors with their place
//	paths.go   the paths, and what each returns
//	values.go  JSON values as OTTL has them
//	run.go     evaluation
package callcondition

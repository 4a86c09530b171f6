// Package ottltext compiles the OTTL texts of a configuration, and explains what is wrong with one.
//
// There are three kinds of texts. [SpanParser.When] compiles the condition on a run, and [SpanParser.Key] the key by which a
// run finds its case. Both read the run's anchor. [CallParser.Where] compiles the condition of an expected tool, which reads
// a call.
//
// OTTL's own errors name neither the place nor the name that was probably meant. The errors of this package do:
//
//	"attribute[\"x\"] == 1" is no OTTL condition: 1:1: ... (did you mean "attributes"?)
//
// # Files
//
//	parser.go      the three kinds of texts, and the sentence that begins an error
//	span_paths.go  the paths of a span: OTTL's own, with look-ups of attributes that package ottlattributes bounds
//	explain.go     the place of an error, and the name that was meant
//
// The functions of OTTL and their bounds are in package ottlfunctions. The paths of a call are in package callcondition.
package ottltext

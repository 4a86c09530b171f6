// Package expectation turns what was written about expected tools into expectations that runs are scored by.
//
// The same keys stand in three places: in the configuration, in a case of a dataset, and in an attribute of a span. Each
// place has its own way of reading them. All three make an [Expectation] of them, so the rules below are the same everywhere:
//
//  1. [Expectation.Settings] converts each key. It adds an error for each invalid count or mode, each payload that must be an
//     object, and each condition that does not compile.
//  2. [Make] has package scoring check the settings as a whole, and compile them.
//  3. [Expectation.NativeOnly] names the keys that reference methods do not understand. The caller knows the metrics.
//
// For the expectation {tools: [{name: refund, count: {max: 2}}]} the settings are one tool with a count from 1 to 2, and
// NativeOnly is count.
//
// Errors go to a [configcheck.Errors], which knows the path of the expectation. An error of [Parse] has the path alone, because
// attributes are private. The path then ends before the name of a tool under max_calls.
//
// # Files
//
//	expectation.go  what is written, and its conversion
//	max_calls.go    the key max_calls, which has two forms
//	native_only.go  keys that only the native method understands
//	case.go         cases of a dataset, and expectations in attributes
package expectation

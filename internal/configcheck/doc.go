// Package configcheck finds what is wrong with a configuration and says it in words that a user can act on.
//
// The Collector's decoder names Go types and suggests no key, and rules are checked only if it succeeds. This package reports
// all mistakes at once. Each error names the key, the value and the rule:
//
//	run.idle_timout: is no key of this configuration (did you mean "idle_timeout"?)
//	metrics.m.native.threshold: must be a number, is "high"
//
// # How a configuration is checked
//
//  1. [Errors.Decode] reads the values of YAML into the Go type that must hold them. It finds unknown keys and values of a wrong
//     kind, and leaves them out. Types say by [Shorthand] and [Choice] what users may write for short.
//  2. The caller checks the rules of what was read with [Errors.Add], [Errors.OneOf] and [Errors.Within].
//  3. [Errors.Err] is all of it as one error.
//
// The path of a value that could not be read is remembered, so that nothing is said to be missing there: one mistake is reported
// once.
//
// Users write expected arguments as YAML, and methods compare JSON: [Errors.JSON] converts them. [ReadYAML] reads a file that is a list, and
// [Errors.Located] gives errors its lines.
//
// errors.go has the mistakes and what values are, decode.go the types that hold them and the files that they stand in.
package configcheck

// Package expectcheck compares expectations with the metrics that score by them, and with each other. It finds settings that
// are valid but probably not intended, and keys that a method does not support. The configuration turns them into warnings
// and errors.
//
// [Warnings] has all of the following, in the order of the expectations:
//
//   - An expectation that no metric ever uses, because another stands before it, or because its condition never holds.
//   - A tool that no call can match, and a list that requires more calls than a run keeps.
//   - A metric that passes every run, because no call is required.
//   - Arguments, outputs and counts that no metric of an expectation reads.
//
// [Refusals] are errors: a reference method cannot score by a key that only the native method understands.
//
// # Files
//
//	warnings.go     the list of warnings, and what no metric reads
//	reach.go        which metrics can use an expectation
//	impossible.go   tools and lists that no run fulfils
//	passes.go       whether a method can fail a run at all
//	native_only.go  keys that only the native method understands
//
// The package reads no span, and takes expectations after their conversion, so it needs no type of the configuration.
package expectcheck

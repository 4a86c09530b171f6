// Package compare compares JSON values: what agrees in part, what other languages call equal, where two values differ.
//
//	equality.go  one object within another, shared keys, likeness; equality in Python 3.11 and in C#, and the formulas of Axion and DeepEval
//	ratio.go     how alike two texts are, as in Python's difflib
//	output.go    what a tool returned and what it should return, with content blocks
//	rewrite.go   a value without ignored keys and with defaults, and keys that several values agree with
//	diff.go      the places at which two values differ
//
// Reference methods reproduce the scores of libraries in Python and C#, which depend on the equality of those languages:
//
//	             1 and 1.0   1 and true   [1] and [1]   {} and {}
//	[Python]     equal       equal        equal         equal
//	[CLR]        different   different    different     different
//
// The native method has the equality of package jsonvalue.
package compare

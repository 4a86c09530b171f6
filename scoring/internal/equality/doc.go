// Package equality compares JSON values as other programming languages do.
//
// Reference methods reproduce the scores of libraries in Python and C#, which depend on the equality of those languages:
//
//	             1 and 1.0   1 and true   [1] and [1]   {} and {}
//	[Python]     equal       equal        equal         equal
//	[CLR]        different   different    different     different
//
// [Deep] walks arrays and objects, and compares the rest with the [Leaf] of a language. The native method has its own
// equality: see package jsonvalue.
//
// # Files
//
//	deep.go    arrays and objects
//	python.go  Python 3.11: numbers of three types, ints of any size
//	dotnet.go  C#: types must be the same, and lists and dictionaries equal themselves only
//
// The package knows no tool and no method.
package equality

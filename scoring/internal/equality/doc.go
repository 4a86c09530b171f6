// Package equality says when values of JSON are equal in other programming languages.
//
// Reference methods reproduce the scores of libraries in Python and C#, and these compare what those languages call equal:
//
//	             1 and 1.0   1 and true   [1] and [1]   {} and {}
//	[Python]     equal       equal        equal         equal
//	[CLR]        different   different    different     different
//
// [Deep] walks arrays and objects, and leaves the rest to a [Leaf], so that a language is a few lines. The native method has
// its own equality: see package jsonvalue.
//
// # Files
//
//	deep.go    arrays and objects
//	python.go  Python 3.11: numbers of three types, ints of any size
//	dotnet.go  C#: types must be the same, and lists and dictionaries equal themselves only
//
// The package knows no tool and no method.
package equality

// Package names compares names with patterns and lists of them, and makes names safe to show.
//
//	match.go  one name and one pattern, in which each * matches any characters; work that is counted against a bound
//	index.go  which entries of a list have a name
//	safe.go   names that can be shown anywhere
//
// Lists may be long, and any sender may write them. So comparisons of patterns with names are counted: see [Budget].
package names

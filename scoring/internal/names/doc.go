// Package names compares names with lists of names and patterns: see package glob.
//
// Lists may be long, and any sender may write them. So the comparisons of patterns with names are counted: see package steps.
//
// # Files
//
//	index.go  which entries of a list have a name
//	tally.go  how many names a pattern matches
//	diff.go   what two lists of names do not share
package names

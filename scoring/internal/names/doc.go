// Package names compares names with lists of names and patterns: see package glob.
//
// # Files
//
//	index.go  which entries of a list have a name
//	diff.go   what two lists of names do not share
package names

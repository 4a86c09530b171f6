// Package filewatch finds the files of patterns, and whether they have changed since the last look.
//
// A look costs one stat a file. Two looks are equal if each path leads to the same file, with the same size, time and
// permissions. So a replaced symbolic link, as Kubernetes replaces those of a ConfigMap, is a change, and so is a rename over
// a file. The caller reads the content and compares it.
//
// Nothing here waits and nothing runs in the background: the caller says when to look.
//
// # Files
//
//	listing.go  the files that patterns name, and whether two looks are the same
//	read.go     reads a file with a bound
package filewatch

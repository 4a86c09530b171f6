// Package filewatch says which files patterns name, and whether these files have changed since the last look.
//
// A look costs one stat a file. Two looks are the same if every file is: the same path leads to the same file, with the same
// size, time and permissions. So a replaced symbolic link, as Kubernetes replaces those of a ConfigMap, is a change, and so is
// a rename over a file. Whether the content differs is for the caller, who reads it.
//
// Nothing here waits and nothing runs in the background: the caller says when to look.
//
// # Files
//
//	listing.go  the files that patterns name, and whether two looks are the same
//	read.go     reads a file with a bound
package filewatch

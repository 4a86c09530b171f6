// Package reuse makes slices of a length in memory that was used before, so that a calculation that runs again and again
// allocates only when it grows.
//
// The caller owns the memory: it passes the old slice, and replaces it by the result. reuse.go is all of it.
package reuse

import "slices"

// Sized is s with n elements of any content.
func Sized[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}

// Filled is s with n elements, all of them x.
func Filled[T any](s []T, n int, x T) []T {
	s = Sized(s, n)
	for i := range s {
		s[i] = x
	}
	return s
}

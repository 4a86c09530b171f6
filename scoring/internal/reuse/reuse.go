// Package reuse resizes slices in place, so that a repeated calculation allocates only when it grows.
//
// The caller passes the old slice and replaces it by the result: x = reuse.Sized(x, n). reuse.go is the whole package.
package reuse

import "slices"

// Sized returns a slice of n elements with any values, in the memory of s if it suffices.
func Sized[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}

// Filled is like [Sized], and all elements are x.
func Filled[T any](s []T, n int, x T) []T {
	s = Sized(s, n)
	for i := range s {
		s[i] = x
	}
	return s
}

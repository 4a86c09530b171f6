// Package climb finds where the way up from a place ends, for many places.
//
// A place has at most one place above it. The way up from a place ends at the first place that stops it, else at the last one. Places
// may be above each other in a circle.
//
//	a          stops
//	└ b
//	  ├ c      from c and from d: a
//	  └ d
//	e          from e: e
//
// A [Cache] remembers the ends, so each place is passed once, whatever the shape. All work is counted: see [compare.Work].
package climb

// Package valuediff finds the places at which two JSON values differ, with the path to each.
//
// [Walk] walks both values side by side. It compares objects key by key, arrays of the same length element by element, and
// all else as a whole. Equality is that of package jsonvalue. For the expected value {"lines":[{"sku":"a"}]} and the called
// one {"lines":[{"sku":"b"}],"gift":true} it finds
//
//	lines[0].sku  b instead of a
//	gift          extra: only the called value has it
//
// A [Rule] says whether keys count that only one side has. Inside an array every key counts, because modes compare arrays as
// a whole. The names of extra keys may be private, so a difference also has their number and the path of their object.
//
// The caller bounds the number of differences, and with it the work on paths.
//
// # Files
//
//	walk.go   the walk
//	path.go   how a path is written
//	shown.go  a value in a few characters
package valuediff

// Package ottlattributes reads attributes for conditions, with the values that OTTL's own contexts return.
//
// pdata keeps attributes in a list, so finding a key takes a step for each attribute before it. A sender decides how many
// attributes a span or a resource has. A condition reads them again for each call, and those of a resource for each run.
// Without a bound, a span of 100,000 attributes with 9,900 calls took seconds.
//
// A map of at most [Few] attributes is searched, as pdata does. For a larger map, the first look-up makes an index of all
// its keys, and the next ones read the index. The caller says with [Keep] and [NextRun] how long an index is kept:
//
//   - an index of a resource or a scope as long as the context, because many runs share it
//   - an index of a span's attributes until the next run
//
// The attributes must not change while their index is kept. If a key is repeated, its first value counts, as in pdata.
//
// # Files
//
//	index.go  look-ups, and the indexes that a context keeps
//	path.go   the value that keys lead to
package ottlattributes

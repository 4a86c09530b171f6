// Package rewrite writes JSON again, without keys that do not count and with defaults for keys that are missing.
//
//	ignore     meta.*
//	defaults   {"limit": 10}
//	value      {"query": "x", "meta": {"id": 7}}
//	written    {"query": "x", "meta": {}, "limit": 10}
//
// Two values that are written so can be compared by any equality. A [Writer] keeps how numbers and strings are written, byte
// by byte. A pattern is compared with the path of a key, such as meta.id or lines[0].sku.
//
// writer.go is all of it. The package knows no tool and no method; patterns are those of package glob.
package rewrite

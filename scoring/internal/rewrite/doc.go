// Package rewrite writes a JSON value without ignored keys, and with defaults for missing keys.
//
//	ignore     meta.*
//	defaults   {"limit": 10}
//	value      {"query": "x", "meta": {"id": 7}}
//	written    {"query": "x", "meta": {}, "limit": 10}
//
// Two rewritten values can be compared by any equality, because a [Writer] keeps numbers and strings byte by byte. A pattern
// is matched with the path of a key, such as meta.id or lines[0].sku: see package glob.
//
// writer.go is the whole package.
package rewrite

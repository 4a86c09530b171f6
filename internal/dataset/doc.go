// Package dataset reads files of test cases, and keeps many cases by key in little memory.
//
// A case is a key and what is expected of the runs with this key. It stands in a line of JSON, or in a YAML list:
//
//	{"key": "refund-17", "tools": ["search_orders", {"name": "refund_order", "arguments": {"currency": "EUR"}}]}
//
// # From a file to a set
//
//  1. [Read] takes a file that was looked at (package filewatch) and reads its cases.
//  2. Two goroutines check the lines: the caller's [Check] converts each case and throws the result away. They end before
//     Read returns.
//  3. The cases are added to a [Set] in their order. A fault names its line. If there is any, the whole dataset is refused.
//
// A case stays a text: the caller decodes it again, with [Decode], when a run asks for it. So a case takes the bytes of its
// line and about 40 more, and nothing for the garbage collector to follow. A million compiled cases would take a gigabyte.
//
// # Files
//
//	case.go   one case: its JSON, and the words for what is wrong with it
//	read.go   a file of cases: formats, limits, faults
//	check.go  lines checked by several goroutines
//	lines.go  lines of a text
//	set.go    cases by key
package dataset

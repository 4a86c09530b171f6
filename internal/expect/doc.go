// Package expect turns what was written about expected tools into expectations that runs are scored by.
//
// The same keys stand in three places: in a configuration or a file of expectations, in a case of a dataset, and in an attribute of
// a span. All three make an [Expectation] of them, so the rules are the same everywhere: each key is converted to a setting of package
// scoring, which checks the whole and compiles it. For {tools: [{name: refund, count: {max: 2}}]} the settings are one tool with a
// count from 1 to 2.
//
// # Cases
//
// A dataset has a case in each line: a key, and what is expected of the runs with this key. Every case is checked once, and its text is
// kept: a run decodes its case again, because a million compiled cases would take a gigabyte.
//
//	{"key": "refund-17", "tools": ["search_orders", {"name": "refund_order", "arguments": {"currency": "EUR"}}]}
//
// # Files
//
// [Files.Read] looks at files of expectations and datasets, and makes a set of them if they have changed. Nothing here waits: the
// caller says when to look. After the first set, files must be the same in two successive looks, because they may still be being
// written. Any fault refuses all files, and the last good set stays in use.
//
// The files of the package:
//
//	expectation.go  what is written, and what it says of tools    cases.go  a dataset, and one case in JSON
//	set.go          a set of expectations, and its warnings       files.go  which files there are, and when a change of them is used
package expect

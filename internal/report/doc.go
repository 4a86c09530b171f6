// Package report sorts, counts, compares and prints verdicts, for the dry run.
//
// A [Row] is what one metric says of one run. All rows are in memory, and those of a run are neighbours. One becomes an output:
//
//	Row       run 1, metric tool_correctness: score 0.5, failed; search matched, book missing
//	Sort      the order of the input
//	Compare   the same runs in an earlier report, so that a row is better, worse, the same or new
//	Gate      the run is counted as failed, and the command exits with 1
//	Format    prints the row, and the summary behind all rows
//
// A [Step] is one line of a row's alignment: an expected tool, its call, and how well they agree. A tally counts the runs of one
// expectation, metric or agent, and a grid is a table of counts as it is printed. A place says in a few words where a run is: its file, and the beginning of its trace ID.
//
// # Files
//
//	row.go    rows, and their JSON, which is a contract   gate.go     when runs are good enough; counts
//	place.go  short names of files and IDs                compare.go  an earlier report, and what changed
//	text.go   text of spans, without control characters   format.go   the list of formats; JSON, for programs
//	table.go  a table, for people                         junit.go    JUnit, for services that build and test
//	html.go   a page, for people who want to know why     markdown.go for the page of a build, or a comment
//
// # How to add a format
//
// A format is a function func(io.Writer, []Row, Options) error in a file of its own, and a line in Formats. It also needs a
// golden file in the tests of cmd/toolcorrectness, and a line in the help of its command. It escapes texts from spans, because they
// are hostile. It prints values only if rows have them.
package report

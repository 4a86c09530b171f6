// Package report prints verdicts. The command and the demo both make rows of their runs, and this package sorts, counts and
// prints them.
//
//	Row      what one metric says of one run; its JSON is a contract
//	Rows     rows that a format reads run by run, as often as it needs to
//	Sort     puts rows into the order of the input; an Order puts runs into another
//	Gate     says when the runs are good enough, and counts them
//	Baseline an earlier report, with which rows are compared
//	Table    for people
//	JSON     for programs
//	JUnit    for the services that build and test
//	Markdown for the page of a build, or a comment
//	HTML     for people who want to know why
//
// # How to add a format
//
// A format is a function func(io.Writer, Rows, Options) error in a file of its own, and a line in Formats. It also needs a
// golden file in the tests of cmd/toolcorrectness, and a line in the help of its command. Texts from spans are hostile: a
// format escapes them. Values of arguments and outputs are private: rows have them only where they may be printed. Rows may
// be more than fit into memory: a format keeps no more of them than it has to.
package report

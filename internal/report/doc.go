// Package report sorts, counts, compares and prints verdicts, for the command.
//
// A [Row] is what one metric says of one run. All rows are in memory, and those of a run are neighbours. [Sort] puts them in the order of
// the input, a [Gate] compares them with an earlier report and says whether they are good enough, and a [Format] prints them with a
// summary.
//
// A format is a function func(io.Writer, []Row, Options) error, and a line in Formats. It also needs a golden file in the tests of
// cmd/toolcorrectness, and a line in the help of its command. It escapes texts from spans, because they are hostile. It prints values only
// if rows have them.
package report

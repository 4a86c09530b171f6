// Command toolcorrectness is the dry run: recorded traces and a collector configuration in, verdicts out. It sends spans through
// the same processor as a collector does, with a clock that does not wait.
//
//	toolcorrectness [score] -config FILE [-processor ID] [-format table|json|junit|markdown|html] [-o FILE] [-sort ORDER]
//	                [-fail-under N] [-pass-rate P] [-allow-empty] [-baseline FILE] [-values] TRACES...
//	toolcorrectness validate -config FILE [-processor ID] [-strict]
//	toolcorrectness suggest [-key ATTRIBUTE] [-o FILE] [-values=false] TRACES...
//	toolcorrectness import -from FORMAT [-key ATTRIBUTE] [-criteria FILE] [-dataset FILE] [-o FILE] FILES...
//	toolcorrectness schema | version | completion SHELL | man [COMMAND]
//
// TRACES are files, folders, patterns, or - for standard input, of OTLP/JSON, OTLP protobuf, Jaeger's or Tempo's JSON, also
// compressed. The command exits with 0 if at least one run was judged and all passed. It exits with 1 if a run failed or had
// no score, or if there was no run. It exits with 2 for wrong use or unreadable input.
//
// # How input becomes rows
//
// A row is what one metric says of one run. Package internal/report prints rows.
//
//	input.go     the arguments are files; each file is documents, and a document is traces
//	replay.go    gives the traces to the processor, and advances its clock, so that runs close
//	places.go    remembers in which file each trace began
//	findings.go  takes the processor's report of each closed run, and adds its place
//	rows.go      makes rows of the report, one for each metric
//	score.go     sorts and prints the rows; the gate says whether the runs are good enough
//
// One trace of a file, with one run and two metrics, becomes two rows with the same place:
//
//	traces.jsonl, trace 1   support   tool_correctness   1.0   passed
//	traces.jsonl, trace 1   support   tools_in_order     0.5   failed
//
// The input may be larger than memory. If many runs are open, replay.go closes those whose wait is over. Rows beyond a limit are
// kept in files by package internal/spool.
//
// # Files
//
//	main.go      the command line, and the exit codes
//	score.go     the command score
//	config.go    finds the processor's section in a configuration, and makes the processor
//	input.go     reads files
//	replay.go    sends what was read through the processor
//	places.go    where traces begin
//	findings.go  what the processor reported, and why no run was judged
//	rows.go      makes rows of reports
//	progress.go  the bar on a terminal
//	validate.go  the command validate
//	suggest.go   the command suggest
//	import.go    the command import
//	schema.go    the command schema
//	version.go   the command version
//	shell.go     the commands completion and man
//	help.go      the help of all commands
package main

// Command toolcorrectness is the dry run: recorded traces and a collector configuration in, verdicts out. It sends spans through
// the same processor as a collector does, with a clock that does not wait.
//
//	toolcorrectness [score] -config FILE [-processor ID] [-format table|json|junit|markdown|html] [-o FILE]
//	                [-fail-under N] [-pass-rate P] [-allow-empty] [-baseline FILE] [-values] TRACES...
//	toolcorrectness list [-format FORMAT] [-o FILE] [-values] TRACES...
//	toolcorrectness watch [-config FILE] [-processor ID] [-grpc ADDRESS] [-http ADDRESS] [-pass-rate P] [-values]
//	toolcorrectness validate -config FILE [-processor ID] [-strict]
//	toolcorrectness suggest [-key ATTRIBUTE] [-o FILE] [-values=false] TRACES...
//	toolcorrectness import -from FORMAT [-key ATTRIBUTE] [-criteria FILE] [-dataset FILE] [-o FILE] FILES...
//	toolcorrectness trend [-o FILE] REPORT...
//	toolcorrectness schema | version
//
// TRACES are files, folders, patterns, or - for standard input, of OTLP/JSON, OTLP protobuf, Jaeger's or Tempo's JSON, also
// compressed. The command exits with 0 if at least one run was judged and all passed. It exits with 1 if a run failed or had
// no score, or if there was no run. It exits with 2 for wrong use or unreadable input.
//
// # How input becomes rows
//
// A row is what one metric says of one run. Package internal/report prints rows.
//
//	input.go   the arguments are files; each file is documents, a document is traces, and a trace has a place
//	replay.go  gives the traces to the processor, and advances its clock, so that runs close; why no run was judged
//	rows.go    makes rows of the processor's report of each run, one for each metric
//	score.go   prints the rows in the order of the input; the gate says whether the runs are good enough
//
// One trace of a file, with one run and two metrics, becomes two rows with the same place:
//
//	traces.jsonl, trace 1   support   tool_correctness   1.0   passed
//	traces.jsonl, trace 1   support   tools_in_order     0.5   failed
//
// Rows live in memory. The spans of the input do not: if many runs are open, replay.go closes those whose wait is over.
//
// # Files
//
//	main.go      the table of commands, the command line, help, and the exit codes
//	config.go    finds the processor's section in a configuration, and makes the processor
//	receive.go   OTLP over gRPC and HTTP
//	progress.go  the bar on a terminal
//	score.go (with list), watch.go, validate.go, suggest.go, import.go, trend.go, version.go (with schema) each have a command
//
// To add a command, declare a subcommand as those do, and add it to the table in main.go.
package main

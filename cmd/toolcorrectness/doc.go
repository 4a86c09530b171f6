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
// A row is what one metric says of one run, and package internal/report prints rows. input.go reads the files, and notes where each trace
// begins; replay.go gives the traces to the processor and advances its clock, so that runs close; rows.go makes rows of the processor's
// report of a run, and score.go prints them in the order of the input, and asks the gate.
//
// Rows live in memory. The spans of the input do not: if many runs are open, replay.go closes those whose wait is over.
//
// To add a command, declare a subcommand, and add it to the table in main.go.
package main

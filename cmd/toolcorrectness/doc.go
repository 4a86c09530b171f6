// Command toolcorrectness is the dry run: recorded traces and a collector configuration in, verdicts out. It sends spans through
// the same processor as a collector does, with a clock that does not wait.
// Each command says with -h how it is called.
//
// # How input becomes rows
//
// A row is what one metric says of one run, and package internal/report prints rows. replay.go reads the files, notes where each trace
// begins, gives the traces to the processor, advances its clock, so that runs close, and makes rows of the processor's report of a run.
// score.go prints them in the order of the input, and asks the gate.
//
// Rows live in memory. The spans of the input do not: if many runs are open, replay.go closes those whose wait is over.
//
// To add a command, declare a subcommand, and add it to the table in main.go.
package main

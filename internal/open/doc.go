// Package open has the logs of open traces: what spans said that is not judged yet. Traces that record the same call, or are of one
// conversation where that is asked for, are one log (unite.go), in whatever order they arrive.
//
// A log that is due (due.go) is taken out, examined without a lock by package runs, and what is left is put back. Meanwhile new facts
// of its traces are collected where it was. A large log is taken out at most once a second, so that no trace delays the others.
//
// Nothing that senders decide grows without a bound: a trace that has too much closes because of a limit, and whatever is forgotten of
// closed traces (past.go) is a doubt of the runs that it may have concerned. Its methods may be called by several goroutines.
package open

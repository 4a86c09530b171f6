// Package results says which call has which result that a model was shown.
//
// A result in a prompt has a call ID and no tool's name. It completes the call with that ID: with an output, and with a failure. If
// IDs are counted up, and so repeat, a call has the next result with its ID.
//
// A model may use an ID again. If a result is that of several calls, it completes none of them, and they say that it is unsure.
//
// # Files
//
//	results.go  the results of one process, and what they add to calls
package results

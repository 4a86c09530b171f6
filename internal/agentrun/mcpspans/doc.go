// Package mcpspans remembers the MCP spans of calls, and completes the calls of closed runs.
//
// A client of the Model Context Protocol (MCP) often has a trace of its own. Its spans have errors that the agent's spans lack. A
// [Table] keeps them, and adds what the agent's run of the same process lacks about a call: above all that it failed. It never
// adds a call.
//
// # One span, one call
//
// A span fits a call of its process and its name within the call's time, if the arguments agree as far as they are known. If a
// span fits several calls, or a call several spans, it is not known which call failed. Then the calls say that it is unsure, and
// the order of arrival decides nothing. The same holds for copies of a span that differ.
//
// # What it is not
//
// There is no goroutine, lock or clock: time is an argument. The number of spans, their bytes, and the comparisons of a call have
// bounds.
//
// # Files
//
//	spans.go  the table of MCP spans
//	fillin.go which calls they complete
package mcpspans

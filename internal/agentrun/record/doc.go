// Package record writes and reads the bytes that outlive the process: the evidence of a trace, an MCP span and the summary of
// a run. Package journal stores them as its records.
//
// [Evidence] is what one trace was told. A caller that stores spans writes each thing that it tells the trace buffer into
// Evidence as well. After a crash [Decode] makes [Facts] of the bytes, and the buffer applies them as if the spans came again.
// Evidence of one trace may be applied in any order, and applying it twice has no effect.
//
// A closing makes records obsolete. What is left of the trace is Evidence again, and replaces them; [agentrun.Checkpoint]
// says when. The trace buffer decides what is left.
//
// # Format
//
// Evidence is a trace ID, and then facts. Each fact is a byte that says its kind, and the values of that kind in this order:
//
//	kind                values
//	 1 parent           id, parent
//	 2 agent span       span, kind of anchor
//	 3 step             id, parent; without an id the parent is an inferred agent
//	 4 call             span, status, tool type, flags, name, call id, arguments, output
//	 5 response         span, flags, id of the last answered call if a flag says so, requests, results
//	 6 conversation     id of the conversation
//	 7 tool result      result, time
//	 8 closed run       span, kind of anchor, close reason, time
//	 9 trace            flags: what a process has in the trace
//	10 cut              time
//	11 source           process, scope
//	12 dispute          id
//	13 closed name      hash of the agent's name of the closed run before it, 4 bytes
//	14 step name        id of the span above the steps, name of the agent
//	15 shares           count; for each the agent's name and a count of requests, of the response before it
//
// A source says which process and which instrumentation told the facts behind it, up to the next source. Before the first
// source they are unknown, as in all evidence of early versions.
//
//	value               bytes
//	id, parent          8
//	span                id, parent, start time, end time
//	time, process       8, little endian
//	scope               4, little endian
//	kind, status, type, reason, flags  1
//	count               unsigned varint
//	text                count of bytes, the bytes
//	payload             count of bytes, the payload as package scoring writes it
//	requests            count; for each call id, name, arguments
//	results             count; for each a result
//	result              call id, flags, output
//
// An MCP span is evidence of one call, and then the process. A summary is a trace ID, the process, the span, and a count of
// calls with their folded names and start times.
//
// The numbers of kinds and flags never change, and a kind is never used again. A new kind goes behind the last one: an older
// version refuses what it does not know, and sets it aside. testdata/pins has bytes of each kind, which a test compares. A new
// kind needs its number in fact.go, a writer in evidence.go, a reader in decode.go, a row above, and a pin.
//
// # Files
//
//	fact.go      kinds of facts, and decoded facts
//	evidence.go  writes facts
//	decode.go    reads facts
//	reader.go    reads single values
//	mcp.go       MCP spans
//	summary.go   summaries of runs
package record

// Package record encodes and decodes the bytes that outlive the process: the evidence of a trace, an MCP span and the summary
// of a run. Package journal stores them as its records.
//
//	spans of a batch ──> trace buffer
//	                 └─> Evidence ──> journal ──> storage
//	                                                 │ after a crash
//	             trace buffer <── Facts <── Decode <─┘
//
// [Evidence] has everything that the trace buffer was given about one trace, in one batch. A caller that stores spans adds
// each fact to both. After a crash, [Decode] turns the bytes into [Facts], and the buffer applies them as if the spans
// arrived again. Evidence of one trace may be applied in any order, and applying it twice has no effect.
//
// When runs close, most stored facts of their trace become obsolete. The trace buffer writes the remaining ones as Evidence
// again, which replaces the records: see [agentrun.Checkpoint].
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
// A source says which process and which instrumentation sent the facts behind it, up to the next source. Facts before the
// first source have an unknown one, as in all evidence of early versions.
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
// An MCP span is evidence of one call, followed by the process. A summary is a trace ID, the process, the span, and a count
// of calls with their folded names and start times.
//
// The numbers of kinds and flags never change, and a kind is never used again. A new kind goes behind the last one. An older
// version cannot read it, and quarantines the record. testdata/pins has bytes of each kind, which a test compares. A new kind
// needs its number in fact.go, a writer in evidence.go, a reader in decode.go, a row above, and a pin.
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

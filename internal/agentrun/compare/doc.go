// Package compare finds equal names, call IDs and payloads among many, and counts the work of it.
//
// Senders decide how many calls there are, and how long names and payloads are. A run has up to 10,000 calls, and each may be
// compared with many others. So four rules hold here:
//
//   - Each item is read once. A payload becomes a digest of 32 bytes, and a name becomes its folded form.
//   - All payloads that are read together have at most [MaxValues] values. Others count as different, and [Calls.Over] says so.
//   - Items with an ID are in a map. A call is compared with at most [MaxCandidates] others.
//   - All steps are counted as [Work]. Tests check that the work grows in proportion to the input, for any shape.
//
// # Files
//
//	work.go       units of work
//	name.go       names that are folded once, and hashes of names
//	spelled.go    calls whose names lost case or separators, and the tools that they may mean
//	payload.go    payloads with equal content, and arguments with a single member
//	reading.go    how many values of payloads may be read
//	calls.go      records of calls: whether names and payloads contradict each other
//	protocol.go   a protocol's spans below the span of a call
//	callids.go    whether a requested call is among some calls
//	callindex.go  the places of calls by ID and name
//	handles.go    names of tools, kept once
//	texts.go      other texts, kept once as long as they are used
package compare

// Package compare finds equal names, call IDs and payloads among many, and counts the work of it.
//
// Senders decide how many calls there are, and how long names and payloads are. A run has up to 10,000 calls, and each may be
// compared with many others. So three rules hold here:
//
//   - What is compared with others is read once. A payload becomes a digest of 32 bytes, and a name becomes its folded form.
//   - What is found by its ID stands in a map. A call is never compared with all others.
//   - What is done is counted as [Work]. Tests hold that the work grows with what came, whatever its shape.
//
// # Files
//
//	work.go       units of work
//	name.go       names of tools without case and separators
//	payload.go    payloads with equal content
//	callindex.go  the places of calls by ID and name
//	handles.go    names of tools, kept once
package compare

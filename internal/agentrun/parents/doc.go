// Package parents keeps the links of a trace, from spans to their parents, and finds the parent of a span.
//
// A link of a span is as small as it can be, because a trace has one for every span, of whatever kind. A [Table] answers one
// question: which parent does a span have, as a process recorded it ([Table.Of])?
//
//	span x: parent a      process 1 recorded it
//	span x: parent z      process 2 recorded it
//
//	Of(x, 1)   parent a, its own
//	Of(x, 2)   parent z, its own
//	Of(x, 3)   parent a or z, not its own, and disputed
//
// # Several parents
//
// Each process has its own links, because a sender that knows the ID of a span could give it another parent. If a process sent
// several parents for a span, the span is disputed for that process. If several processes sent different parents, the span is
// disputed for all others. What follows for a run is for the caller: see package ownership.
//
// # What it costs
//
// Most traces are short, and are examined once. So links are appended to a slice. [Table.Tidy] prepares them for look-ups: it
// sorts a few links, and hashes many. From [FirstLinks] links on they are hashed as they arrive, so that repeated links take no
// room. All work is counted: see [compare.Work].
//
// The caller adds the bytes by which a table grew to its trace, as [Table.Add] and [Table.Dispute] return them.
package parents

// Package fairshare divides the room of a bounded table among the processes that fill it, and records who lost entries to others.
//
// All senders share the tables of the processor. If a table drops its oldest entry, a sender that adds many entries makes it
// forget the entries of others. Then a run may get a better verdict than without that sender. So two rules hold here:
//
//   - A full table drops the oldest entry of the process that has most. So a process keeps all of its entries while others
//     have more. One sender cannot take them away.
//   - A sender may name many processes, and then each has little. So if a process loses an entry that it would have kept in
//     a table of its own, the loss is recorded. [Table.MayHaveLost] asks for it, and then a run is not complete.
//
// A process that adds nothing for five minutes gives up its entries first, so that processes that have ended do not keep
// their room. A process that fills the table alone has no losses: it would have lost the entries in a table of its own as well.
//
// # What a loss is
//
// A loss has the time of the entry and a tag. Losses of a process are merged into one span of time and a set of tags. They
// are forgotten when the process has added as many entries as a table has. A table of its own would have dropped them too,
// then. If more than [MaxLosers] processes have losses, the losses become one time for all processes. Entries that began
// before it may be lost. So a sender that invents processes makes runs incomplete, and never better.
//
// # What it costs
//
// An entry costs a step for each time that the number of processes can be halved, because the processes are a heap. The
// caller gives the time. There is no lock.
//
// # Files
//
//	table.go   the entries, and which of them is dropped
//	losses.go  what processes lost to others
//	keys.go    keys whose entries a limit removed from another table
package fairshare

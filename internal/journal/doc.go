// Package journal keeps what is open in a storage, so that open runs survive the end of the process.
//
// A storage extension is a map from keys to bytes. It has no order and no list of its keys. So records stand in numbered
// slots, and one more record says how many slots are in use. A slot that becomes free is used again.
//
// # What a record is
//
// Each [Record] has a version, a checksum, a [Kind] and a time. The kinds are evidence of a trace, held span, resource of
// held spans, parent links of ordinary spans, closed run, MCP span, and run summary. The last four are queues: the oldest
// records fall out when a queue is full.
//
// # When it is written
//
//	batch    [Journal.BeginTx] and [Journal.Save]: a batch adds all its records at once, before it is acknowledged
//	release  [Journal.Ack], [Journal.Remove] and [Journal.Commit]: records go after their spans were accepted, and after the
//	         record that replaces them was written
//	start    [Journal.Load]: all records, and the slots of damaged ones
//
// So the storage is always enough to continue from. Replaying a record twice changes nothing.
//
// A write that fails stays pending and is tried again with the next one. A full storage may still remove records, so the
// journal then only removes; after three failures it gives up the queues.
//
// # What it does not know
//
// The journal has a lock and a client, but no goroutine and no clock: the caller passes the time. It does not know what
// records mean; the processor replays them.
//
// # Files
//
//	journal.go         the journal: what is pending, and what a batch or a checkpoint changes
//	tx.go              the transaction of one batch
//	write.go, read.go  to and from the storage
//	record.go          the bytes of records, of held spans and of links
//	record_origin.go   resources that held spans share
//	slots.go           slots and queues
package journal

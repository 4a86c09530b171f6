// Package journal keeps what is open in a storage, so that it survives the end of the process.
//
// A batch's records are written all at once, before it is acknowledged ([Journal.Write]). A record is removed after its spans were
// accepted elsewhere ([Journal.Remove], [Journal.Commit]), and a start reads all of them ([Journal.Load]). So the storage is always enough to
// continue from. It may have more than that, because a crash forgets removals that did not succeed: replaying a record must be
// harmless, even if its spans were released.
//
// The journal has a lock and a client, but no goroutine and no clock. It does not know what records mean.
package journal

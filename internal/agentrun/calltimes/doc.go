// Package calltimes says when the calls of a closed run ran, for methods that ask which calls have no order among each other.
//
// When a run closes, [SetAskedBy] notes which response asked for each call. When the run is scored, [Set] gives each call its
// time. It is called last, because several traces may have calls of the run.
//
// [SetRanks] notes the place of a call in its response. It orders calls that began together.
//
// [ByProcess] says in which time a run without an anchor called. A span that arrives later is compared with it.
//
// # Groups
//
// The span of a group has the messages of each task, with the calls that each message requested: see [agentrun.Share]. If no other
// span recorded a call, its time is unknown, but messages have an order:
//
//	messages           fetch | search | book
//	other spans                search from 4 to 5
//	the run            2 to 9
//	times of calls     fetch from 2 to 4, search from 4 to 5, book from 5 to 9
//
// Between search and the end there may be several messages. When the run is scored, each gets a moment of its own. The calls
// themselves keep the longer time, because spans of other traces complete calls by it.
//
// # Files
//
//	asked.go     which response asked for a call      times.go  when a call ran
//	narrow.go    what the messages of a group say about the times of calls
//	messages.go  moments of messages between the same known calls
//	processes.go the time in which each process called
//	ranks.go     the places of calls in the responses of models
package calltimes

// Package runs makes runs of what spans said. [Runs] is a calculation: the same facts give the same runs, in whatever order they
// arrived. It has no lock and no clock. While it runs, it asks only what an [Examination] offers: Protocol, Elsewhere and
// UnderWay.
//
// A run is one agent's execution, with its tool calls: see below who owns a call. Its anchor is the span that represents it and
// receives the verdict. runs.go has [Runs] and [tree.examine], which takes a trace through these steps, each in a file. The results that
// models were shown are collected before calls are given to runs.
//
//	tree.go        a node for each span, and the parents
//	anchors.go     the spans that represent runs: agents, else workflows, else roots
//	records.go     several spans of one call become one: a framework's, a protocol's client's and server's
//	owners.go      the run of each call and of each model's response: the nearest run above, else the one at its time
//	groups.go      the requests on the span of a group of agents
//	wrappers.go    agents' spans that represent no run
//	loops.go       several runs below one span
//	requests.go    what models asked for and were shown completes the calls, or is a call itself
//	unanswered.go  what models asked for and nothing executed
//	times.go       which response asked for each call, and when it ran
//	close.go       closed runs, and what is left of the trace
//	doubt.go       why a run is not complete
//
// Before that, spans of tools move to the trace that they have lost, and after it the runs of several traces are joined:
//
//	join.go      duplicates, steps of models, conversations
//	elsewhere.go records of one call that share no ID; tools' spans that are traces of their own
//
// All of them use equal.go (whether payloads are equal, within a bound on the work). IsPending in unanswered.go says whether a
// conversation waits for the result of a call.
//
// # Who owns a call
//
// A call belongs to its nearest agent ancestor. If the chain of parents is broken or reaches no agent, the times decide: the innermost
// run that contains the call, else the one that began first and had not ended. Spans of a trace belong together whoever sent them.
//
//	agent a   0 ├──────────────────────────┤ 9
//	  agent b     2 ├────────┤ 5
//	    call x      3 ├──┤ 4                    parent b: b owns x
//	  call y          3 ├─────────┤ 6           parent a: a owns y
//	  call z        3 ├─┤ 4                     parent unknown: b owns z, the innermost that contains it
package runs

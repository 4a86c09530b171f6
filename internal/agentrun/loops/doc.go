// Package loops finds several runs below one span, by their loops of model calls.
//
// Some instrumentations record model calls and no span around them. Then one span may have several loops of model calls below
// it: consecutive runs, or an agent that is a tool of another. A loop begins where the messages begin again, and each loop is
// a run. The first loop has the span, or the loop whose response the span records. The others are runs inside of it, without
// spans of their own.
//
//	root r
//	  model call m    messages begin           requests search
//	  model call n    messages begin again     requests refund
//	  model call o    shows m's result         requests answer
//
//	run of r          search, answer
//	run without span  refund
//
// [TakeInner] has the rule. A model call is in the loop of the call whose result the model was shown, else in the last loop. A
// tool call is in the loop that requested it: by the call's ID and tool, else the last loop that requested the tool before.
//
// A model may use an ID again. If the ID of a result was requested in several loops, the result leads to none of them. Then the
// run of the span is contradicted.
//
// # What is no loop
//
// Only an instrumentation without tool spans shows where messages begin. An agent's span takes precedence: its calls are one
// run. Only the process that decides about a run defines its loops. What other processes recorded stays with the loop that has
// the span.
//
// # What it costs
//
// Responses and requests are sorted, and a call looks at a bounded number of requests. All work is counted: see [compare.Work].
//
// # Files
//
//	loops.go   the loops below one span
//	unread.go  whether a response that could not be read leaves a run in doubt
package loops

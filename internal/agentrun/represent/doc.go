// Package represent decides which spans of a trace represent runs.
//
// An agent's span does. In a trace without one a stand-in does: the outermost workflow span, else the local root. But there
// are spans that look like a run and are none, and the trace buffer asks for them at two times:
//
//	before calls are given to runs   [Runs]: which candidates are runs at all
//	after that                       [Wrappers]: which of them wrap the run of another span
//
// What represents no run leaves without a verdict.
//
// # Stand-ins
//
// An agent's span decides nothing about the calls of another process, because anyone who knows the ID of a trace can add such
// a span. So each process has its own stand-ins. There is one exception: the root of a service that an agent calls represents
// no run, because it is below the agent.
//
//	workflow w       0 ├──────────────────┤ 9     no run, because a is one
//	  agent a          1 ├──────────────┤ 8       a run
//	    root r             2 ├──────┤ 4           a service that a calls: no run
//	root s                     3 ├────────┤ 7     of another process, with calls: a run
//
// # Wrappers
//
// Some instrumentations record more agent spans than there are runs. They wrap the agent's span in a nameless one, or a
// nameless one in a span with the agent's name. Or they record the agent's span twice, or an empty one beside the span that
// has the work below it. Such a span has no calls of its own, and represents no run. Only spans of its own process make it a
// wrapper: a service that an agent calls takes no verdict away.
//
// # What it costs
//
// Each span is passed once for each process, and siblings are sorted. All work of wrappers is counted: see [compare.Work].
//
// # Files
//
//	standins.go   agents, workflows and roots: which of them are runs
//	wrappers.go   agents' spans that represent no run, and the names that they give to nameless runs
package represent

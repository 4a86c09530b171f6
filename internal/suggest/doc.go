// Package suggest drafts expectations from good runs.
//
//	Run   what one agent did
//	Draft the expectations that these runs meet, one for each agent, or for each agent and key
//	YAML  a collector configuration with them, in which each line says how many runs support it
//
// # What is drafted
//
// A call that only one of several runs made is left out. If all runs of an agent made the same calls in the same order, the
// draft is that list. Otherwise it has each tool once, with its least and greatest number of calls. A tool that some runs did
// without is optional. The tools are in the order of the runs if that never varied. If each run called exactly one of several
// tools, these are alternatives. Arguments are drafted if all calls, and at least two, have the same value.
//
// The threshold of a metric is the lowest score that one of the runs has under the draft, rounded down. So all of them pass.
//
// # Files
//
//	draft.go  runs by agent and key    tools.go      which tools, how often, in what order, and how many runs support each
//	yaml.go   writes the draft         arguments.go  which arguments, and how many calls support each
package suggest

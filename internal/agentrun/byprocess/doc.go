// Package byprocess has tables of one trace in which each process has its own entry.
//
// Several processes may send spans of one trace. What one of them sends says little about the calls of another, and a hostile sender
// could send spans of a trace that it knows. So the trace buffer keeps apart what each process said:
//
//	Table           has a process calls, agents, workflows, or calls that another trace has as well?
//	Conversations   which conversation do the spans of a process name? The lowest ID counts, so the order of arrival does not.
//	InferredAgents  below which spans of a process did an agent take steps, though no span represents the agent?
//	StepNames       which name do the steps right below a span of a process give to their agent? All must agree.
//	Results         which tool results were the models of a process shown? Each result is kept once.
//
// Most traces have one process. So the first process of a table has a place of its own, and only further ones need a map.
// Each method that adds returns by how many bytes the table grew. InferredAgents, StepNames and Results of repeatable call
// IDs have bounds. The limit of memory bounds the rest, because each entry counts for its trace.
//
// The process 0 is unknown: it is that of records of early versions, and means any process.
//
// # Files
//
//	table.go          what a process has         inferred.go  agents that only their steps show
//	conversations.go  conversations by process   results.go   tool results that models were shown
//	step_names.go     names of agents that only their steps have
//	others.go         what leads to runs of other processes
package byprocess

// Package draft writes configurations for a person to edit: from good runs, and from the test cases that other tools keep.
//
// # From good runs
//
//	Run   what one agent did
//	Draft the expectations that these runs meet, one for each agent, or for each agent and key
//	YAML  a collector configuration with them, in which each line says how many runs support it
//
// A call that only one of several runs made is left out. If all runs of an agent made the same calls in the same order, the
// draft is that list. Otherwise it has each tool once, with its least and greatest number of calls. A tool that some runs did
// without is optional. The tools are in the order of the runs if that never varied. If each run called exactly one of several
// tools, these are alternatives. Arguments are drafted if all calls, and at least two, have the same value. One
// that varies and always equals an attribute of its run becomes a condition.
//
// The threshold of a metric is the lowest score that one of the runs has under the draft, rounded down. So all of them pass.
//
// # From test cases
//
// A [Set] has the cases of all files that are imported together. A [Case] is one test case: its key, its expected tools and its
// forbidden tools. It becomes an expectation for the runs whose own span has its key. A note says what a format has and an
// expectation cannot say, and how often. The command prints all notes, so nothing is dropped in silence.
//
// A golden of DeepEval, {"name": "refund-1", "input": "...", "expected_tools": [{"name": "search_orders"}]}, becomes
//
//	{name: refund-1, when: 'attributes["test.case.name"] == "refund-1"', tools: [search_orders]}
//
// The set also gets a metric that scores as DeepEval does.
//
// # Files
//
//	suggest.go       runs by agent and key       tools.go      which tools, how often, and how many runs support each
//	suggest_yaml.go  writes the draft            arguments.go  which arguments, and how many calls support each
//	import.go        formats, sets and cases     adk.go        Google ADK's eval sets
//	agentevals.go    reference trajectories      deepeval.go   DeepEval's goldens, as its save_as writes them
//	promptfoo*.go    trajectory assertions, each with a metric of its own
//	yaml.go          YAML with comments, in which texts stay what they are
//
// To add a format, write a function from a file's text to cases, and add it to Formats. Its test reads a file of the other tool.
package draft

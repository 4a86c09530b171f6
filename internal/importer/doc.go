// Package importer makes expectations of the test cases that other tools keep.
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
//	importer.go    formats, sets, cases and notes; expectation.go makes an expectation of a case
//	adk.go         Google ADK's eval sets: tool_uses and invocation_events, in snake_case or camelCase
//	agentevals.go  LangChain agentevals' reference trajectories: messages with tool calls
//	azure.go       JSON lines with expected_actions, of Azure's task navigation evaluator
//	deepeval.go    DeepEval's goldens, as JSON or JSON lines, as its save_as writes them
//	langsmith.go   examples of a LangSmith dataset, whose expected tools a JSON pointer finds
//	promptfoo*.go  the trajectory assertions of a promptfoo configuration, each with a metric of its own
//	tau2.go        tasks of tau2-bench whose reward_basis has ACTION
//
// To add a format, write a function from a file's text to cases, and add it to Formats. Its test reads a file of the other tool.
package importer

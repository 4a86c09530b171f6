// Package importer makes expectations of the test cases that other tools keep.
//
//	adk      Google ADK's eval sets: tool_uses and invocation_events, in snake_case or camelCase
//	agentevals LangChain agentevals' reference trajectories: messages with tool calls
//	azure    JSON lines with expected_actions, of Azure's task navigation evaluator
//	deepeval DeepEval's goldens, as JSON or JSON lines, as its save_as writes them
//	langsmith examples of a LangSmith dataset, whose expected tools a JSON pointer finds
//	promptfoo the trajectory assertions of a promptfoo configuration, each with a metric of its own
//	tau2     tasks of tau2-bench whose reward_basis has ACTION
//
// A case becomes an expectation for the runs whose own span has its key. What a format says and an expectation cannot is listed,
// never dropped in silence.
//
// # How to add a format
//
// A format is a function from the text of a file to cases and notes. It has a file of its own and a line in Formats. Its test
// reads a file that the other tool wrote.
package importer

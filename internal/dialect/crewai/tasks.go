// Package crewai parses the output of a crew's tasks as Python prints it: a list of TaskOutput. Each has its agent's role,
// its messages, and a record of each failed tool. Strings in the messages decide nothing.
//
// Source: https://github.com/crewAIInc/crewAI, crewai/tasks/task_output.py.
package crewai

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Task is the result of one task.
type Task struct {
	// Agent is the role of the agent, "" if the task has none.
	Agent string
	// Messages are those of the assistant with tool calls, in order. Each has its calls, without those of tools that there are not.
	Messages [][]scoring.Value
	// Failed are the messages in which the model was shown that a call failed.
	Failed []scoring.Value
}

const (
	taskOutput = "TaskOutput" // the class of each element
	failures   = "ToolFailureRecord("
	requests   = "'tool_calls'"
	// noSuchTool begins the reason of a failure if the agent has no such tool.
	noSuchTool = "<ToolFailureReason.UNKNOWN_TOOL"
)

// Bounds of what is read. A crew with 5,000 calls has about as many values. A bound on the length of the text would let a tool
// hide the calls of its crew by a long result.
const (
	maxValues = 1 << 16
	maxTasks  = 1 << 10
)

// Tasks reads the output of tasks, which is a list. It reads nothing of a text that is not certainly one. It reports false if the text
// may have calls that are not read. A list that was cut off may have them, too: only a parser knows where it ends.
func Tasks(text string) (tasks []Task, read bool) {
	if !strings.HasPrefix(text, "[") {
		return nil, !strings.Contains(text, failures) && !strings.Contains(text, requests)
	}
	outputs, ok := pyliteral.Repr("Outputs(tasks="+text+")", maxValues)
	if !ok {
		return nil, false
	}
	for output := range at(outputs, "tasks").Elements() {
		if at(output, "").Text() != taskOutput {
			continue
		}
		if len(tasks) == maxTasks {
			return tasks, false
		}
		tasks = append(tasks, taskOf(output))
	}
	return tasks, true
}

// callKey is a call in the messages of one task.
type callKey struct{ id, tool string }

func taskOf(output scoring.Value) Task {
	task := Task{Agent: at(output, "agent").Text()}
	messages := at(output, "messages")
	unknown := task.fail(messages, at(output, "tool_failures"))
	for message := range messages.Elements() {
		if at(message, "role").Text() != "assistant" {
			continue
		}
		var calls []scoring.Value
		for call := range at(message, "tool_calls").Elements() {
			if !unknown[callKey{at(call, "id").Text(), at(call, "function", "name").Text()}] {
				calls = append(calls, call)
			}
		}
		if calls != nil {
			task.Messages = append(task.Messages, calls)
		}
	}
	return task
}

// fail finds, for each failure, the message that showed it to the model: the tool's next message whose text ends with that of
// the failure. It returns the calls of tools that there are not.
func (t *Task) fail(messages, failures scoring.Value) (unknown map[callKey]bool) {
	var left []failure
	for f := range failures.Elements() {
		left = append(left, failure{
			tool: at(f, "tool_name").Text(), why: at(f, "failure", "message").Text(),
			noTool: strings.HasPrefix(at(f, "failure", "reason").Text(), noSuchTool),
		})
	}
	for message := range messages.Elements() {
		if len(left) == 0 {
			break
		}
		next := &left[0]
		if at(message, "role").Text() != "tool" || at(message, "name").Text() != next.tool || !strings.HasSuffix(at(message, "content").Text(), next.why) {
			continue
		}
		if next.noTool {
			if unknown == nil {
				unknown = make(map[callKey]bool)
			}
			unknown[callKey{at(message, "tool_call_id").Text(), next.tool}] = true
		}
		left, t.Failed = left[1:], append(t.Failed, message)
	}
	return unknown
}

// A failure is what the framework recorded of one. Its texts are read once, because they may be long.
type failure struct {
	tool, why string
	noTool    bool // the agent has no such tool
}

func at(v scoring.Value, path ...string) scoring.Value {
	for _, key := range path {
		v, _ = v.Member(key)
	}
	return v
}

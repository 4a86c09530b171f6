package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenLLMetry's instrumentation of CrewAI writes no tool spans, and models get a failure as a text like any other. But a crew's span has the output
// of its tasks. It has it even if content is hidden, and then nothing else has the calls.
// Source: https://github.com/traceloop/openllmetry, packages/opentelemetry-instrumentation-crewai.
const crewOutputs = "crewai.crew.tasks_output"

// crewResponse reads which calls the agents requested, and which of them failed. Each task is a share of its agent. Requests of
// an agent without a name would be of no run.
func (s *source) crewResponse() ModelResponse {
	a := s.draft()
	tasks, read := crewTasks(s.marker(crewOutputs))
	s.scratch.unread = !read || s.span.DroppedAttributesCount() > 0
	for number, task := range tasks {
		if task.Agent != "" {
			a.askTask(task, number)
		}
		for _, message := range task.Failed {
			if s.scratch.want.Results {
				a.tell(ToolResult{ID: text(message, "tool_call_id"), Output: a.scratch.output(message, "content"), Failed: true})
			}
		}
	}
	switch {
	case s.scratch.unread && a.Shares == nil:
		a.Shares = []Share{} // any agent of the group may have requested calls
	case !s.scratch.unread && len(a.Requests) == 0:
		a.Shares = nil
	}
	return a.ModelResponse
}

// askTask adds the requests of a task, and the share of its agent.
func (a *draft) askTask(task crewTask, number int) {
	share := Share{Agent: strings.Clone(task.Agent), Task: number}
	for _, message := range task.Messages {
		before := len(a.Requests)
		for _, call := range message {
			a.askPart(call, rawRequests)
		}
		if requests := len(a.Requests) - before; requests > 0 {
			share.Messages = append(share.Messages, requests)
		}
	}
	a.Shares = append(a.Shares, share)
}

// A crewTask is the result of one task.
type crewTask struct {
	// Agent is the role of the agent, "" if the task has none.
	Agent string
	// Messages are those of the assistant with tool calls, in order. Each has its calls, without those of tools that there are not.
	Messages [][]scoring.Value
	// Failed are the messages in which the model was shown that a call failed.
	Failed []scoring.Value
}

// Bounds of what is read. A crew with 5,000 calls has about as many values. A bound on the length of the text would let a tool
// hide the calls of its crew by a long result.
const (
	maxValues = 1 << 16
	maxTasks  = 1 << 10
)

// crewTasks reads the output of tasks, which is a list. It reads nothing of a text that is not certainly one. It reports false if the text
// may have calls that are not read. A list that was cut off may have them, too: only a parser knows where it ends.
func crewTasks(text string) (tasks []crewTask, read bool) {
	if !strings.HasPrefix(text, "[") {
		return nil, !strings.Contains(text, "ToolFailureRecord(") && !strings.Contains(text, `'tool_calls'`)
	}
	outputs, ok := pyliteral.Repr("Outputs(tasks="+text+")", maxValues)
	if !ok {
		return nil, false
	}
	for output := range at(outputs, "tasks").Elements() {
		if at(output, "").Text() != "TaskOutput" {
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

func taskOf(output scoring.Value) crewTask {
	task := crewTask{Agent: at(output, "agent").Text()}
	messages := at(output, "messages")
	unknown := task.fail(messages, at(output, "tool_failures"))
	for message := range messages.Elements() {
		var calls []scoring.Value
		for call := range at(message, "tool_calls").Elements() {
			if is(message, "role", "assistant") && !unknown[callKey{at(call, "id").Text(), at(call, "function", "name").Text()}] {
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
func (t *crewTask) fail(messages, failures scoring.Value) (unknown map[callKey]bool) {
	var left []failure
	unknown = make(map[callKey]bool)
	for f := range failures.Elements() {
		left = append(left, failure{
			tool: at(f, "tool_name").Text(), why: at(f, "failure", "message").Text(),
			noTool: strings.HasPrefix(at(f, "failure", "reason").Text(), "<ToolFailureReason.UNKNOWN_TOOL"),
		})
	}
	for message := range messages.Elements() {
		if len(left) == 0 {
			break
		}
		next := &left[0]
		if !is(message, "role", "tool") || at(message, "name").Text() != next.tool || !strings.HasSuffix(at(message, "content").Text(), next.why) {
			continue
		}
		if next.noTool {
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

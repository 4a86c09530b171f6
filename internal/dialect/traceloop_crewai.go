package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/crewai"
)

// OpenLLMetry's instrumentation of CrewAI writes no tool spans, and models get a failure as a text like any other.
// But a crew's span has the output of its tasks: see package crewai. It has it even if content is hidden, and then nothing else
// has the calls.
//
// Source: https://github.com/traceloop/openllmetry, packages/opentelemetry-instrumentation-crewai.
const crewOutputs = "crewai.crew.tasks_output"

// crewResponse reads which calls the agents requested, and which of them failed. Each task is a share of its agent. Requests of
// an agent without a name would be of no run.
func (s *source) crewResponse() ModelResponse {
	a := s.draft()
	tasks, read := crewai.Tasks(s.marker(crewOutputs))
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
func (a *draft) askTask(task crewai.Task, number int) {
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

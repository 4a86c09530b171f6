package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenLLMetry's instrumentation of CrewAI writes no tool spans, and models get a failure as a text like any other.
// But a crew's span has the output of its tasks as Python shows it: the messages, and a record of each tool that failed.
//
// Source: https://github.com/traceloop/openllmetry, packages/opentelemetry-instrumentation-crewai;
// https://github.com/crewAIInc/crewAI, crewai/tasks/task_output.py.
const (
	crewOutputs  = "crewai.crew.tasks_output"
	crewFailures = "ToolFailureRecord("
)

// crewResponse reads which calls failed. Everything else in the output is also in the spans of models.
func (s *source) crewResponse() ModelResponse {
	a := s.draft()
	text := s.marker(crewOutputs)
	if !s.scratch.want.Results || !strings.Contains(text, crewFailures) {
		return a.ModelResponse
	}
	outputs, ok := pyliteral.Repr("Outputs(tasks=" + text + ")")
	if !ok {
		return a.ModelResponse
	}
	for task := range at(outputs, "tasks").Elements() {
		a.crewFailures(at(task, "messages"), at(task, "tool_failures"))
	}
	return a.ModelResponse
}

// crewFailures finds for each failure the message in which the model was shown it: the next one of the tool whose text ends
// with that of the failure.
func (a *draft) crewFailures(messages, failures scoring.Value) {
	var left []scoring.Value
	for failure := range failures.Elements() {
		left = append(left, failure)
	}
	for message := range messages.Elements() {
		if len(left) == 0 {
			return
		}
		why := at(left[0], "failure", "message").Text()
		if !is(message, "role", "tool") || !is(message, "name", at(left[0], "tool_name").Text()) || !strings.HasSuffix(at(message, "content").Text(), why) {
			continue
		}
		left = left[1:]
		a.tell(ToolResult{ID: text(message, "tool_call_id"), Output: a.scratch.output(message, "content"), Failed: true})
	}
}

package acceptance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// unseenRejections are the recordings, by library and scenario, whose rejected requests are not known, and why.
var unseenRejections = map[string]string{
	"agentscope-java@2.0.0/unknown_tool":                                  countedRejection,
	"litellm-sdk@1.108.7/unknown_tool":                                    countedRejection,
	"mcp-python-sdk@2.3.0+genai-openai@1.3b0/unknown_tool":                countedRejection,
	"openinference-instrumentation-haystack@0.1.46/unknown_tool":          countedRejection,
	"opentelemetry-instrumentation-llamaindex@0.62.4/unknown_tool":        countedRejection,
	"opentelemetry-instrumentation-openai-v2@2.4b0-rootless/unknown_tool": countedRejection,
	"opentelemetry-instrumentation-openai-v2@2.4b0/unknown_tool":          countedRejection,

	"autogen-agentchat@0.7.5/unknown_tool":                                 "no span has the request",
	"opentelemetry-instrumentation-agno@0.62.4/unknown_tool":               "no span has the request",
	"opentelemetry-instrumentation-genai-agno@1.3b0/unknown_tool":          "no span has the request",
	"opentelemetry-instrumentation-genai-openai-agents@1.3b0/unknown_tool": "no span has the request",
	"otel-contrib-openai@0.21.0/unknown_tool":                              "calls are in log records only",

	"openinference-openai-agents+openai-double@0.2.15/unknown_tool": inException,
	"openinference-openai-agents@0.2.15/unknown_tool":               inException,
	"quarkus-langchain4j@1.10.0/unknown_tool":                       inException,
	"spring-ai@2.0.1/unknown_tool":                                  inException,

	"openinference-openai@4.2.7-chat/unknown_tool":      "model calls without a tool call are no run",
	"openinference-openai@4.2.7-responses/unknown_tool": "model calls without a tool call are no run",

	"tanstack-ai@0.58.0/unknown_tool":                             "no span has the request",
	"traceloop-langchain-js@0.27.0/unknown_tool":                  "only spans of the framework's steps have the request",
	"voltagent@2.10.0/unknown_tool":                               "no span has the request",
	"haystack@3.4.1/unknown_tool":                                 "only spans of the framework's steps have the request",
	"logfire@5.4.0+openai-agents/unknown_tool":                    "the model's span has no list of tools",
	"openinference-instrumentation-crewai@1.1.21/unknown_tool":    "no span has the request",
	"semantic-kernel@1.45.0/unknown_tool":                         "no span has the request",
	"semantic-kernel-java@1.4.2/unknown_tool":                     "no span has the request",
	"openinference-instrumentation-beeai-py@0.1.30/repeated_tool": "the framework does not repeat a call, and nothing but the text of a result says so",

	"claude-code@0.3.329/unknown_tool":               "the model's span has no list of tools",
	"gemini-cli@0.61.0/sub_agent":                    "complete_task is the framework's own, and no request",
	"gemini-cli@0.61.0/unknown_tool":                 "the model's span has no list of tools",
	"mastra@1.71.0+otel-exporter@1.4.0/unknown_tool": "only spans of the framework's steps have the request",
	"mlflow-langgraph@3.17.2/unknown_tool":           "the model's span has no list of tools",
}

const (
	countedRejection = "nothing says that it was not executed, and it counts as a call"
	inException      = "an exception has it, and nothing else"
)

// What the models asked for in vain is known as rejected, and nothing else is.
func TestRejectedRequestsOfRecordings(t *testing.T) {
	known, all := 0, 0
	for _, library := range corpus.All(t) {
		for _, scenario := range library.Scenarios {
			recording := library.Name + "/" + scenario.Name
			var want, got []string
			for _, tool := range scenario.NotExecuted {
				want = append(want, tool.Name)
			}
			if recording == "pydantic-ai@2.68.0/handoff" {
				want = append(want, "transfer_to_order_desk") // the model took up the other framework's script, and "Unknown tool name" was the answer
			}
			all += len(want)
			for _, r := range reportsOf(t, scenario.Requests) {
				for i := range r.Run.Rejected {
					got = append(got, r.Run.Rejected[i].Name)
				}
			}
			slices.Sort(got)
			if got = slices.Compact(got); unseenRejections[recording] != "" { // two traces may record one run
				assert.Empty(t, got, "not unseen any more, mend the table: %s", recording)
				continue
			}
			assert.Equal(t, want, got, recording)
			known += len(got)
		}
	}
	t.Logf("%d of %d rejected requests are known", known, all)
}

package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestOpenInferenceCrewAI(t *testing.T) {
	tool := func(input any, mime string) map[string]any {
		attributes := map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "weather", openInferenceInput: input}
		if mime != "" {
			attributes[openInferenceInputType] = mime
		}
		return attributes
	}
	oslo := call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) })
	checkRows(t, []row{
		{
			name:  "the method of the framework",
			scope: "openinference.instrumentation.crewai",
			span:  "weather._use",
			attributes: tool(`{"tool_string": "Action: weather", "tool": "CrewStructuredTool(name='weather')", `+
				`"calling": {"tool_name": "weather", "arguments": {"city":"Oslo"}}}`, ""),
			want:   oslo,
			reason: "until February 2026 the input was what ToolUsage._use was called with; the arguments are in the calling",
		},
		{
			name:       "the method of the framework, without arguments",
			scope:      "openinference.instrumentation.crewai",
			span:       "weather._use",
			attributes: tool(`{"tool_string": "", "tool": "", "calling": {"tool_name": "weather", "arguments": null}}`, ""),
			want:       call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.Omitted() }),
			reason:     "the framework has null for a call without any",
		},
		{
			name:       "a calling that is a text",
			scope:      "openinference.instrumentation.crewai",
			span:       "ToolUsage._use",
			attributes: tool(`{"tool_string": "", "tool": "", "calling": "tool_name='weather' arguments={'city': 'Oslo'}"}`, ""),
			want:       call("weather"),
			reason:     "it is what Python shows of an object; the parameters of the method are no arguments of the tool",
		},
		{
			name:  "the method of the tool",
			scope: "openinference.instrumentation.crewai",
			span:  "weather.run",
			attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather", openInferenceInput: `{"city":"Oslo"}`,
				openInferenceInputType: "application/json", openInferenceParameters: `{"properties":{"city":{"type":"string"}}}`,
			},
			want:   oslo,
			reason: "since then the input is what BaseTool.run was called with; tool.parameters is the schema",
		},
		{
			name:       "an event with a text in JSON",
			scope:      "openinference.instrumentation.crewai",
			attributes: tool(`{"city":"Oslo"}`, "text/plain"),
			want:       oslo,
			reason:     "the listener writes a text as plain text, and the framework has the arguments as the model wrote them",
		},
		{
			name:       "an event with a text in Python",
			scope:      "openinference.instrumentation.crewai",
			attributes: tool(`{'city': 'Oslo'}`, "text/plain"),
			want:       oslo,
			reason:     "the framework makes a text of a dictionary with str",
		},
		{
			name:       "an event with any other text",
			scope:      "openinference.instrumentation.crewai",
			attributes: tool("Oslo", "text/plain"),
			want:       call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.Text("Oslo") }),
			reason:     "it is no object, and no name is known for it",
		},
		{
			name:       "the text of another instrumentation",
			attributes: tool(`{"city":"Oslo"}`, "text/plain"),
			want:       call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.Text(`{"city":"Oslo"}`) }),
			reason:     "the mime type says what it is",
		},
		{
			name:       "wrong types",
			scope:      "openinference.instrumentation.crewai",
			attributes: tool(map[string]any{"city": "Oslo"}, "text/plain"),
			want:       oslo,
			reason:     "a map has its own type, whatever stands beside it",
		},
		{
			name:       "hidden content",
			scope:      "openinference.instrumentation.crewai",
			attributes: tool(openInferenceRedacted, ""),
			want:       call("weather"),
			reason:     "the placeholder is no content",
		},
	})
}

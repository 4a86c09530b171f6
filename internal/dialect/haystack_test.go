package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestHaystack(t *testing.T) {
	checkRows(t, []row{
		{
			name:       "a tool",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": "weather", "haystack.agent.step.tool.input": `{"city": "Oslo"}`, "haystack.agent.step.tool.output": `{"temp": 7}`},
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"city": "Oslo"}`), scoring.JSON(`{"temp": 7}`)
			}),
			reason: "Haystack 3 writes one span a call",
		},
		{
			name:       "a failed tool",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": "weather", "haystack.agent.step.tool.output": `{"error": "no such city"}`},
			want:       call("weather").with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"error": "no such city"}`) }),
			reason:     "Haystack writes so for a tool that failed, but so may a tool that did not: it is not known",
		},
		{
			name:       "a failed tool that ends the run",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": "weather"},
			status:     ptrace.StatusCodeError,
			want:       call("weather").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "the exception leaves the span; no content is traced",
		},
		{
			name:       "a result with an error among other things",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": "weather", "haystack.agent.step.tool.output": `{"error": null, "temp": 7}`},
			want:       call("weather").with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"error": null, "temp": 7}`) }),
			reason:     "it is the tool's own",
		},
		{
			name:       "all tools of a step",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.agent.step.tool.input": `{"messages": []}`, "haystack.agent.step.tool.output": `{"tool_messages": []}`},
			reason:     "an older form that names no tool",
		},
		{
			name:       "an agent",
			span:       "haystack.agent.run",
			attributes: map[string]any{"haystack.agent.max_steps": 100, "haystack.agent.tools": "[]"},
			want:       Reading{Role: Agent},
			reason:     "its name stands on the span of the component around it, if on any",
		},
		{
			name:       "an agent as a component",
			span:       "haystack.component.run",
			attributes: map[string]any{"haystack.component.name": "desk", haystackType: "haystack.components.agents.agent.Agent"},
			want:       Reading{Role: Agent, Agent: "desk"},
			reason:     "it wraps the agent's own, which has no name",
		},
		{
			name:       "another component",
			span:       "haystack.component.run",
			attributes: map[string]any{"haystack.component.name": "prompt", haystackType: "haystack.components.builders.prompt_builder.PromptBuilder"},
			reason:     "it runs no agent",
		},
		{
			name:       "an application's own span",
			span:       "report",
			attributes: map[string]any{"haystack.tool.name": "weather"},
			reason:     "the name of the span says what the tool is to it",
		},
		{
			name:       "wrong types",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": []any{"weather"}, "haystack.agent.step.tool.input": `{}`},
			reason:     "without a tool's name it is the older form",
		},
	})
}

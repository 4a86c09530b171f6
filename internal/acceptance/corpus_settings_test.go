package acceptance

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Settings of runs and calls change which calls of real traces count.
func TestCorpusUnderOtherSettings(t *testing.T) {
	for _, tc := range []struct {
		claim, library, scenario string
		change                   func(*toolcorrectnessprocessor.Config)
		want                     []string // agent: calls
		reason                   string
	}{
		{"a conversation is one run", "vercel-ai@6.0.326", "multi_turn", conversation, []string{"travel_desk: get_weather convert_currency"},
			"three turns of one session, the last of which calls nothing"},
		{"a conversation of another dialect", "google-adk-js@2.0.0", "multi_turn", conversation, []string{"travel_desk: get_weather convert_currency"},
			"ADK's conversation id is on its agent spans only"},
		{"a conversation of model calls alone", "openinference-openai@4.2.7-chat", "multi_turn", conversation, []string{": get_weather convert_currency"},
			"every model call is a trace, and all have the session's id"},
		{"a conversation that no span names", "openinference-openai-agents@0.2.15", "multi_turn", conversation,
			[]string{"travel_desk: ", "travel_desk: convert_currency", "travel_desk: get_weather"}, "the group id is not exported"},
		{"another conversation attribute", "vercel-ai@6.0.326", "multi_turn", func(c *toolcorrectnessprocessor.Config) {
			conversation(c)
			c.Run.ConversationAttributes = []string{"ai.telemetry.functionId"}
		}, []string{"travel_desk: get_weather convert_currency"}, "whatever attribute the user names"},
		{"a sub-agent's calls count for its caller, too", "mastra@1.71.0+otel-exporter@1.4.0", "sub_agent", include,
			[]string{"researcher: get_weather get_weather", "travel_desk: researcher get_weather get_weather convert_currency"}, "nested: include"},
		{"a sub-agent below its tool's own span", "claude-code@0.3.329", "sub_agent", include,
			[]string{": Agent get_weather get_weather convert_currency", "researcher: get_weather get_weather"}, "nested: include"},
		{"scope trace has all calls", "mastra@1.71.0+otel-exporter@1.4.0", "sub_agent", func(c *toolcorrectnessprocessor.Config) { c.Run.Scope = "trace" },
			[]string{"travel_desk: researcher get_weather get_weather convert_currency"}, "one run a trace"},
		{"messages in place of spans", "vercel-ai@6.0.326", "two_sequential", messages, []string{"travel_desk: get_weather convert_currency"},
			"the model asked for both"},
		{"messages do not count what was not offered", "vercel-ai@6.0.326", "unknown_tool", messages, []string{"travel_desk: "},
			"the span lists the tools that there are"},
		{"messages of a framework that records none", "mastra@1.71.0+otel-exporter@1.4.0", "two_sequential", messages, []string{"travel_desk: "},
			"what the model asked for is not known, and the verdict says so (see below)"},
		{"messages without the framework's own tool", "openinference-beeai@1.5.30", "single_tool", messages, []string{"ToolCallingAgent: get_weather"},
			"final_answer is BeeAI's"},
		{"a failure that a protocol recorded is ignored", "traceloop-mcp@0.27.0", "error_then_retry", ignoreFailed, []string{"travel_desk: lookup_order"},
			"it is known only when the traces have been correlated"},
		{"duplicate runs whose call failed", "vercel-ai@7.0.173+both-otel", "error_then_retry", ignoreFailed, []string{"travel_desk: lookup_order"},
			"the failed call shows that they are duplicate runs"},
		{"duplicates of sub-agents", "vercel-ai@7.0.173+both-otel", "sub_agent", include,
			[]string{"researcher: get_weather get_weather", "travel_desk: researcher get_weather get_weather convert_currency"},
			"the sub-agent's calls are its caller's as well, in both traces"},
		{"tools that do not count", "openinference-openai@4.2.7-chat", "two_sequential", exclude, []string{": get_weather"},
			"one by a glob"},
		{"spans only", "openinference-openai@4.2.7-chat", "two_sequential", func(c *toolcorrectnessprocessor.Config) { c.Calls.Sources = "spans" }, nil,
			"there are no tool spans, and so no runs"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			library := corpus.Open(t, tc.library)
			i := slices.IndexFunc(library.Scenarios, func(s corpus.Scenario) bool { return s.Name == tc.scenario })
			require.GreaterOrEqual(t, i, 0)
			for seed := range uint64(3) {
				reports := reportsWith(t, judgeShuffled(library.Scenarios[i].Requests, seed), tc.change)
				assert.Equal(t, tc.want, named(reports), tc.reason)
			}
		})
	}
}

func conversation(c *toolcorrectnessprocessor.Config) { c.Run.Scope = "conversation" }
func include(c *toolcorrectnessprocessor.Config)      { c.Run.Nested = "include" }
func ignoreFailed(c *toolcorrectnessprocessor.Config) { c.Calls.Failed = "ignore" }
func exclude(c *toolcorrectnessprocessor.Config) {
	c.Calls.Exclude = []string{"convert_*", "lookup_order"}
}
func messages(c *toolcorrectnessprocessor.Config) { c.Calls.Sources = "messages" }

// If messages are the source of calls but no span has any, runs are not evaluable.
func TestNoMessagesAreNotEvaluable(t *testing.T) {
	library := corpus.Open(t, "mastra@1.71.0+otel-exporter@1.4.0")
	i := slices.IndexFunc(library.Scenarios, func(s corpus.Scenario) bool { return s.Name == "two_sequential" })
	reports := reportsWith(t, library.Scenarios[i].Requests, messages)
	require.Len(t, reports, 1)
	verdict := reports[0].Results[0].Verdict
	assert.Equal(t, scoring.NotEvaluable, verdict.Status)
	assert.Equal(t, "no message of a model tells what it asked for", verdict.Why)
}

// The span with the verdict does not depend on the run that a sub-agent's calls count for.
func TestDuplicateRunsAreEqualUnderAllSettings(t *testing.T) {
	library := corpus.Open(t, "vercel-ai@7.0.173+both-otel")
	i := slices.IndexFunc(library.Scenarios, func(s corpus.Scenario) bool { return s.Name == "sub_agent" })
	judged := func(change func(*toolcorrectnessprocessor.Config)) []string {
		var spans []string
		for _, r := range reportsWith(t, library.Scenarios[i].Requests, change) {
			spans = append(spans, r.Run.Anchors[0].ID.String())
		}
		slices.Sort(spans)
		return spans
	}
	assert.Equal(t, judged(func(*toolcorrectnessprocessor.Config) {}), judged(include))
}

// named returns a line "agent: calls" for every run.
func named(reports []evaluate.Report) []string {
	var lines []string
	for _, r := range reports {
		line := ": "
		if len(r.Run.Anchors) > 0 {
			line = r.Run.Anchors[0].Agent + line
		}
		var calls []string
		for _, c := range r.Run.Calls {
			calls = append(calls, c.Name)
		}
		lines = append(lines, line+strings.Join(calls, " "))
	}
	slices.Sort(lines)
	return lines
}

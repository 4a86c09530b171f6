package toolcorrectnessprocessor

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// What the settings of runs and calls make of real traces.
func TestCorpusUnderOtherSettings(t *testing.T) {
	for _, tc := range []struct {
		claim, library, scenario string
		change                   func(*Config)
		want                     []string // agent: calls
		reason                   string
	}{
		{"a conversation is one run", "vercel-ai@6.0.326", "multi_turn", conversation, []string{"travel_desk: get_weather convert_currency"},
			"three turns of one session, the last of which calls nothing"},
		{"a conversation of another dialect", "google-adk-js@2.0.0", "multi_turn", conversation, []string{"travel_desk: get_weather convert_currency"},
			"ADK's conversation id is on its agent spans only"},
		{"a conversation of model calls alone", "openinference-openai@4.2.7-chat", "multi_turn", conversation, []string{": get_weather convert_currency"},
			"every model call is a trace, and all have the session's id"},
		{"a conversation that no span tells of", "openinference-openai-agents@0.2.15", "multi_turn", conversation,
			[]string{"travel_desk: ", "travel_desk: convert_currency", "travel_desk: get_weather"}, "the group id is not exported"},
		{"another conversation attribute", "vercel-ai@6.0.326", "multi_turn", func(c *Config) {
			conversation(c)
			c.Run.ConversationAttributes = []string{"ai.telemetry.functionId"}
		}, []string{"travel_desk: get_weather convert_currency"}, "whatever attribute the user names"},
		{"a sub-agent's calls count for its caller, too", "mastra@1.71.0+otel-exporter@1.4.0", "sub_agent", include,
			[]string{"researcher: get_weather get_weather", "travel_desk: researcher get_weather get_weather convert_currency"}, "nested: include"},
		{"a sub-agent below its tool's own span", "claude-code@0.3.329", "sub_agent", include,
			[]string{": Agent get_weather get_weather convert_currency", "researcher: get_weather get_weather"}, "nested: include"},
		{"scope trace has all calls", "mastra@1.71.0+otel-exporter@1.4.0", "sub_agent", func(c *Config) { c.Run.Scope = scopeTrace },
			[]string{"travel_desk: researcher get_weather get_weather convert_currency"}, "one run a trace"},
		{"messages in place of spans", "vercel-ai@6.0.326", "two_sequential", messages, []string{"travel_desk: get_weather convert_currency"},
			"the model asked for both"},
		{"messages do not count what was not offered", "vercel-ai@6.0.326", "unknown_tool", messages, []string{"travel_desk: "},
			"the span lists the tools that there are"},
		{"spans only", "openinference-openai@4.2.7-chat", "two_sequential", func(c *Config) { c.Calls.Sources = sourcesSpans }, nil,
			"there are no tool spans, and so no runs"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			library := corpus.Open(t, tc.library)
			i := slices.IndexFunc(library.Scenarios, func(s corpus.Scenario) bool { return s.Name == tc.scenario })
			require.GreaterOrEqual(t, i, 0)
			for seed := range uint64(3) {
				reports := reportsWith(t, shuffled(library.Scenarios[i].Requests, seed), tc.change)
				assert.Equal(t, tc.want, named(reports), tc.reason)
			}
		})
	}
}

func conversation(c *Config) { c.Run.Scope = scopeConversation }
func include(c *Config)      { c.Run.Nested = nestedInclude }
func messages(c *Config)     { c.Calls.Sources = sourcesMessages }

// named has a line "agent: calls" for every run.
func named(reports []toolcorrectness.Report) []string {
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

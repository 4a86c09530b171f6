package toolcorrectnessprocessor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	collectorprocessor "go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// withoutContent is the scenario in which the libraries were told not to capture arguments. There names and order are
// all that the spans carry.
const withoutContent = "no_content"

// Real traces of real frameworks go through the processor, and the calls of each run (names, arguments, order) are
// those that the tools logged when they ran.
func TestCorpus(t *testing.T) {
	libraries := corpus.Libraries(t)
	require.NotEmpty(t, libraries)
	for _, library := range libraries {
		for _, scenario := range library.Scenarios {
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				assert.ElementsMatch(t, truth(t, scenario), runsOf(t, scenario))
			})
		}
	}
}

// truth has a line for every run of an agent: its name and its calls.
func truth(t *testing.T, scenario corpus.Scenario) []string {
	var lines []string
	for _, run := range scenario.Runs {
		agents := []string{run.Agent}
		calls := map[string][]string{}
		for _, tool := range slices.SortedFunc(slices.Values(run.Tools), func(a, b corpus.Tool) int { return a.Order - b.Order }) {
			if !slices.Contains(agents, tool.Agent) {
				agents = append(agents, tool.Agent)
			}
			calls[tool.Agent] = append(calls[tool.Agent], tool.Name+content(t, scenario, tool.Arguments))
		}
		for _, agent := range agents {
			lines = append(lines, fmt.Sprintf("%s: %s", agent, strings.Join(calls[agent], " ")))
		}
	}
	return lines
}

// runsOf sends the requests through a processor and returns the same lines for the runs that it found.
func runsOf(t *testing.T, scenario corpus.Scenario) []string {
	cfg := createDefaultConfig().(*Config)
	cfg.Expectations = []ExpectationConfig{{Tools: []ToolConfig{}}}
	p := dryRun(t, cfg)
	var lines []string
	p.DryRun(func(r toolcorrectness.Report) {
		require.NotEmpty(t, r.Run.Anchors)
		var calls []string
		for _, c := range r.Run.Calls {
			calls = append(calls, c.Name+content(t, scenario, c.Arguments.AppendJSON(nil)))
		}
		lines = append(lines, fmt.Sprintf("%s: %s", r.Run.Anchors[0].Agent, strings.Join(calls, " ")))
	})
	for _, td := range scenario.Requests {
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
	}
	p.Advance(t.Context(), cfg.Run.Wait)
	p.Advance(t.Context(), cfg.Run.IdleTimeout)
	require.NoError(t, p.Shutdown(t.Context()))
	return lines
}

func dryRun(t *testing.T, cfg *Config) *toolcorrectness.Processor {
	var set collectorprocessor.Settings = processortest.NewNopSettings(NewFactory().Type())
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	return p.(*toolcorrectness.Processor)
}

// content is the arguments as JSON with sorted keys, numbers as they were written.
func content(t *testing.T, scenario corpus.Scenario, text json.RawMessage) string {
	if scenario.Name == withoutContent {
		return ""
	}
	if text == nil {
		return "{}" // a tool without arguments
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v), "%s", text)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

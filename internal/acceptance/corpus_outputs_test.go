package acceptance

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// withoutOutputs are the recordings in which no span has what a tool returned, and why.
var withoutOutputs = []struct{ library, scenario, reason string }{
	{"*", "no_content", switchedOff},
	{"agentscope-java@*", "*", "no span has arguments or results"},
	{"semantic-kernel-java@*", "*", "no span has arguments or results"},
	{"codex-cli@*", "*", "outputs are in log records only"},
	{"litellm-sdk@*", "streaming", "the calls of a streamed response have no IDs"},
}

// The outputs of calls are what the tools returned, in the recordings of other languages and of command lines.
func TestOutputsOfOthers(t *testing.T) {
	for _, library := range corpus.Others(t) {
		for _, scenario := range library.Scenarios {
			recorded := true
			for _, lost := range withoutOutputs {
				inLibrary, _ := path.Match(lost.library, library.Name)
				inScenario, _ := path.Match(lost.scenario, scenario.Name)
				recorded = recorded && !(inLibrary && inScenario)
			}
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				var want []string
				tools := map[string]bool{}
				for _, tool := range scenario.Tools() {
					if tool.Kind == "agent" || tool.Error != "" || len(tool.Result) == 0 {
						continue // its result is an agent's answer, or it has none
					}
					tools[tool.Name], tools[tool.ModelName] = true, true
					if recorded {
						want = append(want, content(t, tool.Result))
					}
				}
				var got []string
				for _, r := range reportsOf(t, scenario.Requests) {
					for _, c := range r.Run.Calls {
						if tools[c.Name] && c.Output.Captured() {
							got = append(got, content(t, c.Output.AppendJSON(nil)))
						}
					}
				}
				if strings.Contains(scenario.Name, "error") && len(want) > 0 { // a failure may have an output as well
					assert.Subset(t, got, want)
					return
				}
				assert.ElementsMatch(t, want, got)
			})
		}
	}
}

package acceptance

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// The outputs of calls are what the tools returned, in the recordings of other languages and of command lines.
func TestOutputsOfOthers(t *testing.T) {
	for _, library := range corpus.Others(t) {
		for _, scenario := range library.Scenarios {
			recorded := !slices.ContainsFunc(notRecorded.Outputs, func(lost [3]string) bool {
				return matches(lost[0], library.Name) && matches(lost[1], scenario.Name)
			})
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

package toolcorrectnessprocessor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// There is a warning if and only if no metric can reach an expectation.
func TestExpectationsThatAreNeverMet(t *testing.T) {
	const both = `metrics: {m: {native: }, n: {galtea: }}, `
	for _, tc := range []struct {
		claim, yaml string
		want        []string
	}{
		{"behind one without a condition", `expectations: [{name: x, tools: [a]}, {name: y, tools: [b]}, {name: z, tools: [c], when: 'name == "x"'}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
			"expectations[2]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
		}},
		{"behind one with the same condition", `expectations: [{name: x, tools: [a], when: 'name == "x"'}, {name: y, tools: [b], when: 'name != "x"'}, {name: z, tools: [c], when: 'name=="x" '}]`, []string{
			"expectations[2]: it is never met: expectations[0] stands before it, is for the same metrics, and has the same `when`",
		}},
		{"a text with a space is another text", `expectations: [{name: x, tools: [a], when: 'name == "x"'}, {name: y, tools: [b], when: 'name == " x"'}]`, nil},
		{"a text is no path", `expectations: [{name: x, tools: [a], when: 'name == "name"'}, {name: y, tools: [b], when: 'name == name'}]`, nil},
		{"the same condition, of which little is understood", `expectations: [{name: x, tools: [a], when: 'name == "\"x"'}, {name: y, tools: [b], when: 'name == "\"x"'}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has the same `when`",
		}},
		{"a condition that may hold the second time", `expectations: [{name: x, tools: [a], when: 'HasPrefix(UUID(), "a")'}, {name: y, tools: [b], when: 'HasPrefix(UUID(), "a")'}]`, nil},
		{"for other metrics", both + `expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [b], metrics: [n]}]`, nil},
		{"for one other metric", both + `expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [b]}]`, nil},
		{"for each metric another one stands before it", both + `expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [b], metrics: [n], when: 'name == "x"'}, {name: z, tools: [c], when: 'name == "x"'}]`, []string{
			"expectations[2]: it is never met: for the metric \"m\", expectations[0] stands before it and has no `when`; " +
				"for the metric \"n\", expectations[1] stands before it and has the same `when`",
		}},
		{"what is never met has no other warning", `expectations: [{name: x, tools: [a]}, {name: y, tools: [{name: b, arguments: {x: 1}}]}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
		}},
		{"nor do metrics compare that never meet it",
			`metrics: {m: {native: {arguments: exact}}, n: {native: }}, expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [{name: b, arguments: {x: 1}}]}]`,
			[]string{"expectations[1]: arguments are given, and no metric of it compares arguments"}},
		{"from an attribute, too", `expectations: [{name: x, tools: [a]}, {name: y, from_attribute: z}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
		}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			assert.Equal(t, tc.want, settingsOf(t, "{"+tc.yaml+"}").Warnings)
		})
	}
}

// A warning about the native method is true of every run. Without a warning, it would be false for some run.
func TestWarningsAreTrue(t *testing.T) {
	runs := someRuns()
	for i, options := range nativeOptions() {
		if testing.Short() && i%4 != 0 { // every option of each kind is among these
			continue
		}
		for _, tools := range []string{
			`[]`, `[{name: a, optional: true}]`, `[{name: a, count: {min: 0}}]`, `[a]`, `[{name: "*", optional: true}, a]`, `[{name: "*", count: {min: 0, max: 2}}]`,
			`[{name: a, count: {min: 1, max: 2}}]`, `[{name: a, count: {max: 3}}, b]`, `[b, {name: a, count: {min: 0, max: 1}}, a]`, `[{name: a, count: {min: 2, max: 2}}]`,
		} {
			yaml := fmt.Sprintf(`{metrics: {m: {native: {%s}}}, expectations: [{tools: %s}]}`, options, tools)
			set := settingsOf(t, yaml)
			warned := strings.Join(set.Warnings, "\n")
			method, expected := set.Metrics[0].Method, set.Expectations[0].Expected
			if tools != `[{name: "*", count: {min: 0, max: 2}}]` { // where more calls cost precision, it may take longer runs to fail
				passes := !slices.ContainsFunc(runs, func(calls []scoring.Call) bool { return !method.Judge(expected, calls).Passed })
				assert.Equal(t, passes && expect.RequiresNothing(expected), strings.Contains(warned, "passes whatever is called"), yaml)
			}
			if strings.Contains(warned, "with extra_calls: forbid it would not") {
				strict := settingsOf(t, strings.Replace(yaml, "extra_calls: allow", "extra_calls: forbid", 1))
				assert.True(t, slices.ContainsFunc(runs, func(calls []scoring.Call) bool { return !strict.Metrics[0].Method.Judge(expected, calls).Passed }), yaml)
			}
			if !strings.Contains(tools, "max") {
				continue
			}
			endless := settingsOf(t, strings.NewReplacer(", max: 1", "", ", max: 2", "", ", max: 3", "", "max: 3", "min: 1").Replace(yaml)).Expectations[0].Expected
			matters := slices.ContainsFunc(runs, func(calls []scoring.Call) bool {
				return method.Judge(expected, calls).Score != method.Judge(endless, calls).Score
			})
			assert.Equal(t, matters, !strings.Contains(warned, "count.max is given"), yaml)
		}
	}
}

// nativeOptions returns all combinations of options on which warnings depend.
func nativeOptions() (all []string) {
	for _, order := range scoring.Words[scoring.Order]() {
		for _, score := range scoring.Words[scoring.Measure]() {
			for _, extra := range scoring.Words[scoring.ExtraCalls]() {
				for _, threshold := range []string{"0", "0.5", "1"} {
					all = append(all, fmt.Sprintf("order: %s, score: %s, extra_calls: %s, threshold: %s", order, score, extra, threshold))
				}
			}
		}
	}
	return all
}

// someRuns returns all runs of up to 5 calls of three tools.
func someRuns() [][]scoring.Call {
	runs := [][]scoring.Call{{}}
	for from, length := 0, 1; length <= 5; length++ {
		to := len(runs)
		for _, run := range runs[from:to] {
			for _, name := range []string{"a", "b", "z"} {
				runs = append(runs, append(slices.Clone(run), scoring.Call{Name: name}))
			}
		}
		from = to
	}
	return runs
}
